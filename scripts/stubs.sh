#!/usr/bin/env bash
# The stub of the native module is generated from the Rust source and committed.
#   scripts/stubs.sh write    generate it
#   scripts/stubs.sh check    generate it elsewhere and compare; then compare the stub with the built module

source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$ROOT"
COMMITTED=bindings-python/python/swingbridge/_core.pyi

generate() {
  rm -rf "$STATE/stubs"
  mkdir -p "$STATE/stubs"
  # The development profile: the text does not depend on optimisation. A target folder of its own keeps the other
  # cargo commands from rebuilding pyo3 each time the feature changes.
  "$PY" -m maturin generate-stubs --quiet --profile dev --features stubs --target-dir target/stubs \
    --interpreter "$PY" --out "$STATE/stubs"
  find "$STATE/stubs" -name '*.pyi' -print
}

case "${1:-}" in
  write)
    generated=$(generate)
    cp "$generated" "$COMMITTED"
    ;;
  check)
    generated=$(generate)
    diff -u "$COMMITTED" "$generated" || die "$COMMITTED is not what the Rust source says" "run make stubs and commit the result"
    "$ROOT/scripts/env.sh" python -m mypy.stubtest --allowlist scripts/stubtest.allow swingbridge._core
    ;;
  *) die "usage: scripts/stubs.sh write|check" ;;
esac
