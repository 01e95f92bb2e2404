//! How deep and how large a YAML text becomes, found before a tree is made of it: the loader goes down
//! into it by recursion, and an alias costs a few bytes for a copy of whatever it names.

use std::collections::BTreeMap;

use saphyr_parser::{Event, Parser, ScanError};
use swingbridge_core::json::MAX_DEPTH;

/// Of all nodes and texts, as if the aliases were written out.
const LARGEST: usize = 256 << 20;
const NODE: usize = 64;

/// A node, or what was read of it so far.
#[derive(Clone, Copy, Default)]
struct Extent {
    height: usize,
    size: usize,
}

impl Extent {
    fn of_text(text: &str) -> Self {
        Self { height: 0, size: NODE + text.len() }
    }

    fn add(&mut self, child: Self) {
        self.height = self.height.max(child.height + 1);
        self.size = self.size.saturating_add(child.size);
    }
}

/// Whether the text stays within the bounds.
pub(crate) fn are_kept(text: &str) -> Result<bool, ScanError> {
    let mut known: BTreeMap<usize, Extent> = BTreeMap::new();
    // The collections that are open, with their anchors.
    let mut open: Vec<(usize, Extent)> = vec![(0, Extent::default())];
    for event in Parser::new_from_str(text) {
        let (anchor, node) = match event?.0 {
            Event::SequenceStart(anchor, _) | Event::MappingStart(anchor, _) => {
                if open.len() > MAX_DEPTH {
                    return Ok(false);
                }
                open.push((anchor, Extent { height: 0, size: NODE }));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(closed) => closed,
                None => continue,
            },
            Event::Scalar(text, _, anchor, _) => (anchor, Extent::of_text(&text)),
            // One that names a node which it is in, or none, stands for nothing.
            Event::Alias(anchor) => (0, known.get(&anchor).copied().unwrap_or_default()),
            _ => continue,
        };
        known.insert(anchor, node);
        let depth = open.len();
        if let Some((_, parent)) = open.last_mut() {
            parent.add(node);
            if depth + node.height > MAX_DEPTH || parent.size > LARGEST {
                return Ok(false);
            }
        }
    }
    Ok(true)
}
