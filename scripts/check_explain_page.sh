#!/usr/bin/env bash
# Checks a page that --explain-html wrote, and shows it in a browser without a
# window: in light and dark, as wide as a desk and as a telephone. To be run by
# hand, and its pictures looked at, after changes to how the page looks. Needs
# chromium (Debian: apt-get install chromium).
#
#   check_explain_page.sh PAGE.html FOLDER     # writes FOLDER/*.png

source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

[ $# = 2 ] || die "usage: $0 PAGE.html FOLDER"
page="$(realpath "$1")"
folder="$2"
command -v chromium >/dev/null || die "no chromium here; apt-get install chromium"
python3 "$root/scripts/check_explain_page.py" "$page"
mkdir -p "$folder"
folder="$(realpath "$folder")"
frame="$(mktemp --suffix=.html)"
trap 'rm -f "$frame"' EXIT

# shoot NAME WIDTH HEIGHT SCHEME: a browser's window cannot be as narrow as a
# telephone, so the page is shown in a frame of that width.
shoot() {
  printf '<body style="margin:0"><iframe src="file://%s" %s></iframe>' "$page" \
    "style=\"border:0;width:$2px;height:$3px\"" >"$frame"
  chromium --headless --no-sandbox --disable-gpu --hide-scrollbars \
    --window-size="$2,$3" --blink-settings="preferredColorScheme=$4" \
    --screenshot="$folder/$1.png" "file://$frame" >/dev/null 2>&1 ||
    die "chromium failed"
  say "$folder/$1.png"
}

dark=0 light=1
shoot desk-light 1120 3000 "$light"
shoot desk-dark 1120 3000 "$dark"
shoot telephone-light 390 6000 "$light"
shoot telephone-dark 390 6000 "$dark"
