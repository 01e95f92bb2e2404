#!/usr/bin/env bash
# Building and testing must leave the work tree as it was: a generated file that changed was not committed up to date.
#   scripts/tree.sh before    remember the state; in CI it must be clean
#   scripts/tree.sh after     fail if it differs

source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$ROOT"
mkdir -p "$STATE"

state() {
  git status --porcelain --untracked-files=all
  git diff
  git ls-files -o --exclude-standard | git hash-object --stdin-paths
}

case "${1:-}" in
  before)
    state >"$STATE/tree"
    if [ -n "${CI:-}" ] && [ -s "$STATE/tree" ]; then
      git status --short >&2
      die "the work tree is not clean"
    fi
    ;;
  after)
    state | diff -u "$STATE/tree" - >&2 || die "the run changed files of the work tree (above): commit what it generated"
    say "the work tree is as it was"
    ;;
  *) die "usage: scripts/tree.sh before|after" ;;
esac
