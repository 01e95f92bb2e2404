#!/usr/bin/env bash
# Prints the path of a Chromium that starts on this machine; finds one or installs one, in this order:
#   1. SWINGBRIDGE_CHROMIUM    2. an installed Chromium or Chrome    3. Playwright's download    4. the system package (as root)
# The answer is kept in .setup/chromium; a browser that no longer starts is searched for again.

source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
mkdir -p "$STATE"
CACHE=$STATE/chromium
LOG=$STATE/chromium.log

# starts PATH: whether this browser renders a page here. A download without its system libraries does not.
starts() {
  local profile status=0
  [ -x "$1" ] || return 1
  profile=$(mktemp -d)
  timeout 60 "$1" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
    --disable-component-update --disable-sync --user-data-dir="$profile" --dump-dom 'data:text/html,<p>it starts</p>' \
    2>>"$LOG" </dev/null | grep -q 'it starts' || status=1
  rm -rf "$profile"
  return "$status"
}

# found PATH: keep it, print it, end.
found() {
  printf '%s\n' "$1" | tee "$CACHE"
  exit 0
}

installed() {
  local name
  for name in chromium chromium-browser google-chrome google-chrome-stable \
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome' /Applications/Chromium.app/Contents/MacOS/Chromium; do
    name=$(command -v "$name") && printf '%s\n' "$name" || true
  done
}

downloaded() {
  "$PY" -c 'from playwright.sync_api import sync_playwright as p
with p() as playwright: print(playwright.chromium.executable_path)' 2>>"$LOG" || true
}

if [ -n "${SWINGBRIDGE_CHROMIUM:-}" ]; then
  starts "$SWINGBRIDGE_CHROMIUM" || die "SWINGBRIDGE_CHROMIUM=$SWINGBRIDGE_CHROMIUM does not start, see .setup/chromium.log"
  found "$SWINGBRIDGE_CHROMIUM"
fi
if [ -s "$CACHE" ] && [ -x "$(cat "$CACHE")" ]; then
  cat "$CACHE"
  exit 0
fi

: >"$LOG"
while IFS= read -r browser; do
  if starts "$browser"; then found "$browser"; fi
done < <(installed)

if [ -x "$PY" ]; then
  say "no installed Chromium starts; trying Playwright's download"
  timeout 600 "$PY" -m playwright install chromium >>"$LOG" 2>&1 || say "Playwright's download is not available here"
  browser=$(downloaded)
  if starts "$browser"; then found "$browser"; fi
fi

if have apt-get && [ "$(id -u)" = 0 ]; then
  say "installing the system package chromium"
  export DEBIAN_FRONTEND=noninteractive
  apt-get -qq update >>"$LOG" 2>&1 || say "apt-get update failed; using the lists that are here"
  apt-get -qq install --yes --no-install-recommends chromium >>"$LOG" 2>&1 || true
  while IFS= read -r browser; do
    if starts "$browser"; then found "$browser"; fi
  done < <(installed)
fi

die "no Chromium starts on this machine, see .setup/chromium.log" \
  "install one (Debian: apt-get install chromium) or set SWINGBRIDGE_CHROMIUM to its path"
