//! What holds for any run: random responses, streams, options, answers, failures and ways to cancel.
//! The promises stand in `fuzz/src/run.rs` and `fuzz/src/world.rs`.

mod support;

use proptest::prelude::*;
use support::fuzz::call::{Act, How};
use support::fuzz::item::{Edit, Item};
use support::fuzz::run::{Change, CheckpointScript, RunScript, Setup, TurnAct};
use support::strategies::{act, config, tree};

fn item() -> impl Strategy<Value = Item> {
    prop_oneof![
        2 => Just(Item::Message),
        1 => Just(Item::Commentary),
        8 => Just(Item::Lookup),
        8 => Just(Item::Beside),
        4 => Just(Item::Click),
        4 => Just(Item::Read),
        4 => Just(Item::Screen),
        1 => Just(Item::McpAsk),
        1 => Just(Item::McpCall),
    ]
}

/// An item that stops most runs.
fn bad_item() -> impl Strategy<Value = Item> {
    prop_oneof![
        Just(Item::BadArguments),
        any::<u8>().prop_map(Item::Again),
        tree().prop_map(Item::Other),
    ]
}

fn responses(has_mcp: bool) -> impl Strategy<Value = Vec<Vec<Item>>> {
    // An item of a server that nobody declared would end the run.
    let item = item().prop_map(move |item| match item {
        Item::McpAsk | Item::McpCall if !has_mcp => Item::Lookup,
        item => item,
    });
    let any_item = prop_oneof![80 => item, 1 => bad_item()];
    prop::collection::vec(prop::collection::vec(any_item, 1..6), 0..8)
}

fn setup() -> impl Strategy<Value = Setup> {
    let flags = prop::array::uniform8(any::<bool>());
    let rare = (prop::bool::weighted(0.2), prop::bool::weighted(0.2), any::<bool>());
    let budget = prop::option::weighted(0.2, any::<u8>());
    (any::<u8>(), any::<u8>(), flags, rare, budget).prop_map(
        |(max_steps, most_started, flags, (has_mcp, imports_approval, eager), budget)| Setup {
            max_steps,
            observed: flags[0],
            streams: flags[1],
            eager,
            most_started,
            finishes_at_limit: flags[2],
            has_ledger: flags[3] && flags[4],
            budget,
            has_mcp,
            imports_approval,
            reviews_early: flags[5],
            delivers_events: flags[6],
            yields_turns: flags[7],
        },
    )
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        any::<u8>().prop_map(Edit::Cut),
        any::<u8>().prop_map(Edit::Drop),
        any::<u8>().prop_map(Edit::Swap),
        any::<u8>().prop_map(Edit::Repeat),
        (any::<u8>(), tree()).prop_map(|(at, tree)| Edit::Insert(at, tree)),
        (any::<u8>(), any::<u8>(), tree())
            .prop_map(|(at, field, tree)| Edit::Alter(at, field, tree)),
    ]
}

fn edits() -> impl Strategy<Value = Vec<Vec<Edit>>> {
    let of_one = prop_oneof![9 => Just(Vec::new()), 1 => prop::collection::vec(edit(), 1..3)];
    prop::collection::vec(of_one, 0..8)
}

fn turn() -> impl Strategy<Value = TurnAct> {
    let tree = prop::option::weighted(0.1, tree());
    let text = prop::option::weighted(0.3, ".{0,4}");
    (any::<bool>(), tree, text, prop::bool::weighted(0.05))
        .prop_map(|(supplies, tree, text, closes)| TurnAct { supplies, tree, text, closes })
}

/// Mostly answers that let a run go on, so that it gets far; or exactly one that does not.
fn acts() -> impl Strategy<Value = Vec<Act>> {
    let well = || Act { how: How::Well, cancelled: false, now: 0, wrong_id: None };
    let one = prop_oneof![40 => Just(well()), 1 => act()];
    let bad = prop_oneof![
        Just(Act { cancelled: true, ..well() }),
        Just(Act { how: How::Untold, cancelled: true, ..well() }),
        Just(Act { how: How::Untold, ..well() }),
        Just(Act { how: How::Cancelled, ..well() }),
        act(),
    ];
    let one_bad = (prop_oneof![0..24_usize, 0..96_usize], bad).prop_map(move |(at, bad)| {
        let mut acts = vec![well(); at];
        acts.push(bad);
        acts
    });
    prop_oneof![
        1 => Just(Vec::new()),
        2 => prop::collection::vec(one, 0..128),
        4 => one_bad,
    ]
}

fn run_script() -> impl Strategy<Value = RunScript> {
    setup().prop_flat_map(|setup| {
        let turns = prop::collection::vec(turn(), 0..8);
        (Just(setup.clone()), responses(setup.has_mcp), edits(), turns, acts()).prop_map(
            |(setup, responses, edits, turns, acts)| RunScript {
                setup,
                responses,
                edits,
                turns,
                acts,
            },
        )
    })
}

/// Independent functions beside a stream, and one answer that is not good.
fn started_script() -> impl Strategy<Value = RunScript> {
    let items = prop_oneof![8 => Just(Item::Beside), 1 => Just(Item::Lookup)];
    let responses = prop::collection::vec(prop::collection::vec(items, 1..6), 1..3);
    (setup(), responses, acts()).prop_map(|(setup, responses, acts)| RunScript {
        setup: Setup { streams: true, eager: true, has_ledger: false, has_mcp: false, ..setup },
        responses,
        edits: Vec::new(),
        turns: Vec::new(),
        acts: acts.into_iter().take(32).collect(),
    })
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        Just(Change::Gone),
        tree().prop_map(Change::Other),
        tree().prop_map(Change::More),
        any::<u8>().prop_map(Change::Less),
        (any::<u8>(), tree()).prop_map(|(at, tree)| Change::Item(at, tree)),
    ]
}

proptest! {
    #![proptest_config(config())]

    /// L-2: whatever happens gives a typed result; each effect is asked for at most
    /// once, between two saves if there is a ledger; receipts and history are true.
    #[test]
    fn any_responses_and_answers_keep_the_law(script in run_script()) {
        script.check();
    }

    /// started work is awaited on every way out.
    #[test]
    fn independent_work_is_settled_whatever_happens(script in started_script()) {
        script.check();
    }

    /// L-3: a run that goes on from a boundary asks for the same as one that was never interrupted.
    #[test]
    fn a_resumed_run_does_what_the_uninterrupted_one_does(script in run_script()) {
        script.check_resumption();
    }

    #[test]
    fn a_changed_checkpoint_is_refused_or_gone_on_with(
        run in run_script(),
        save in any::<u8>(),
        changes in prop::collection::vec((any::<u8>(), change()), 0..3),
    ) {
        CheckpointScript { run, save, changes }.check();
    }
}
