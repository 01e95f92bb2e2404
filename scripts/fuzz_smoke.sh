#!/usr/bin/env bash
# A short fuzz of every target. With cargo-fuzz: coverage-guided, ten seconds each. Without it: the same bodies under
# random input from a plain test. Prints which of the two ran.
#   FUZZ_SECONDS     with cargo-fuzz: seconds for each target (default 10)
#   PROPTEST_CASES   without it: cases for each test (default 5000)

source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$ROOT"

if cargo fuzz --version >/dev/null 2>&1; then
  targets=$(cargo fuzz list)
  [ -n "$targets" ] || die "fuzz/ has no targets"
  for target in $targets; do
    say "cargo fuzz run $target"
    # libFuzzer's instrumentation needs flags that a stable compiler accepts only with this variable.
    RUSTC_BOOTSTRAP=1 cargo fuzz run "$target" -- -max_total_time="${FUZZ_SECONDS:-10}" -verbosity=0 -print_final_stats=1
  done
else
  say "cargo-fuzz is not here: the fuzz bodies run under random input (core/tests/fuzz_smoke.rs)"
  # The test profile checks arithmetic, and its build is the one that the other core tests use.
  PROPTEST_CASES=${PROPTEST_CASES:-5000} cargo test -p swingbridge-core --test fuzz_smoke
fi
