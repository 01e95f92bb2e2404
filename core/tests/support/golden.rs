//! Files of the repository that are written from the core's own tables.

use std::path::Path;

/// Compares a committed file with what the tables say now; with `UPDATE=1` it writes the file.
#[expect(clippy::disallowed_methods, reason = "the core has no files, its tests do")]
pub(crate) fn assert_committed(path: &str, expected: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    if std::env::var_os("UPDATE").is_some_and(|update| update == "1") {
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder to write to");
        std::fs::write(&file, expected).expect("a file to write");
        return;
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        committed == expected,
        "{path} is not what the core's tables say; write it again with \
         UPDATE=1 cargo test -p swingbridge-core"
    );
}
