//! One TLS stack, none of it from the system, and nothing that needs more than a C compiler to build.

use std::collections::BTreeSet;
use std::process::Command;

const FOREIGN: &[&str] =
    &["aws-lc-rs", "aws-lc-sys", "cmake", "native-tls", "openssl", "openssl-sys", "schannel"];

#[test]
fn there_is_no_other_tls() {
    let tree = Command::new(option_env!("CARGO").unwrap_or("cargo"))
        .args(["tree", "--offline", "--prefix", "none", "--format", "{p}"])
        .args(["--edges", "normal,build", "--package", "swingbridge-client"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo");
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let tree = String::from_utf8(tree.stdout).expect("text");
    let packages: BTreeSet<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(packages.contains("rustls") && packages.contains("ring"), "{tree}");
    let found: Vec<_> = FOREIGN.iter().filter(|name| packages.contains(**name)).collect();
    assert!(found.is_empty(), "the client depends on {found:?}");
}
