//! Random host values and host actions.

use proptest::prelude::*;
use proptest::test_runner::{FileFailurePersistence, RngSeed};

use super::fuzz::call::{Act, How};
use super::fuzz::value::Tree;

/// The same cases every time; `PROPTEST_RNG_SEED` and `PROPTEST_CASES` search elsewhere and further.
pub(crate) fn config() -> ProptestConfig {
    let mut config = ProptestConfig::default();
    if std::env::var_os("PROPTEST_RNG_SEED").is_none() {
        config.rng_seed = RngSeed::Fixed(1);
    }
    config.failure_persistence = Some(Box::new(FileFailurePersistence::WithSource("regressions")));
    config
}

pub(crate) fn tree() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        Just(Tree::Null),
        any::<bool>().prop_map(Tree::Bool),
        any::<i64>().prop_map(Tree::Int),
        any::<u8>().prop_map(Tree::Small),
        any::<f64>().prop_map(Tree::Float),
        any::<String>().prop_map(Tree::Text),
        any::<u8>().prop_map(Tree::Word),
        any::<u8>().prop_map(Tree::Unpaired),
        any::<String>().prop_map(Tree::Held),
        Just(Tree::Foreign),
    ];
    leaf.prop_recursive(4, 24, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Tree::List),
            prop::collection::vec((any::<u8>(), inner), 0..6).prop_map(Tree::Object),
        ]
    })
}

/// Mostly answers that let a call go on, so that sequences get far.
pub(crate) fn act() -> impl Strategy<Value = Act> {
    let how = prop_oneof![
        16 => Just(How::Well),
        2 => tree().prop_map(How::Value),
        2 => any::<bool>().prop_map(How::Verdict),
        1 => tree().prop_map(How::Response),
        1 => tree().prop_map(How::Event),
        1 => Just(How::Streaming),
        1 => Just(How::StreamEnded),
        1 => Just(How::Seen),
        1 => any::<String>().prop_map(How::Told),
        1 => Just(How::Untold),
        1 => Just(How::Cancelled),
    ];
    let cancelled = prop::bool::weighted(0.05);
    let wrong_id = prop::option::weighted(0.1, any::<u8>());
    (how, cancelled, any::<u32>(), wrong_id).prop_map(|(how, cancelled, now, wrong_id)| Act {
        how,
        cancelled,
        now,
        wrong_id,
    })
}
