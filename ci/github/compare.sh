#!/usr/bin/env bash
# Compares TARE_OLD with the checked-out commit and leaves in one folder what the
# later steps and the commenting workflow need: comment.md, report.html,
# result.json, number (of the pull request), sha and outcome. It succeeds
# whatever was found; the gate is a step of its own, after the upload.
set -euo pipefail

folder="$RUNNER_TEMP/tare"
rm -rf "$folder"
mkdir -p "$folder"
echo "folder=$folder" >>"$GITHUB_OUTPUT"
event() { jq -r "$1 // empty" "$GITHUB_EVENT_PATH"; }
number=$(event .pull_request.number)
printf '%s\n' "$number" >"$folder/number"
# GITHUB_SHA of a pull request is that of a merge commit made for the test.
sha=$(event .pull_request.head.sha)
printf '%s\n' "${sha:-$GITHUB_SHA}" >"$folder/sha"

# Lists of words, from the inputs of the user's own workflow file.
read -ra packages <<<"$TARE_PACKAGES"
read -ra extra <<<"${TARE_ARGS:-}"
new=$(git rev-parse HEAD)
[ -z "${TARE_TOTAL:-}" ] || extra=(-total "$TARE_TOTAL" "${extra[@]}")
command=(tare compare "-gate${TARE_GATE:+=$TARE_GATE}" -delta "$TARE_DELTA" -bench "$TARE_BENCH" "${extra[@]}" "$TARE_OLD" "$new" "${packages[@]}")

code=0
"${command[@]}" -format json -o "$folder/result.json" 2> >(tee "$folder/log" >&2) || code=$?
# The study that was just measured: the newest folder, if this run made one.
study=$(find .tare -mindepth 1 -maxdepth 1 -name '*-compare' -newer "$folder/sha" 2>/dev/null | sort | tail -n 1 || true)
if [ $code = 4 ] && [ "${TARE_UNDECIDED:-pass}" = retry ] && [ -n "$study" ]; then
  again=0
  "${command[@]}" -resume "$study" -format json -o "$folder/again.json" 2> >(tee -a "$folder/log" >&2) || again=$?
  case $again in 0 | 3 | 4) code=$again && mv "$folder/again.json" "$folder/result.json" ;; esac
fi
case $code in
0) outcome=pass ;;
3) outcome=regression ;;
4) outcome=undecided ;;
*) outcome=failed ;;
esac
printf '%s\n' "$outcome" >"$folder/outcome"
echo "outcome=$outcome" >>"$GITHUB_OUTPUT"

if [ -n "$study" ] && [ -s "$study/result.jsonl" ] && tare show -format pull-request -o "$folder/comment.md" "$study"; then
  cat "$folder/comment.md" >>"$GITHUB_STEP_SUMMARY"
  tare show -o "$folder/report.html" "$study" || true
  mkdir -p "$folder/study"
  cp "$study"/result.jsonl "$study"/*.txt "$study"/*.json "$folder/study/" 2>/dev/null || true
else
  {
    echo "**tare did not measure anything** (exit code $code)."
    echo
    echo '```'
    tail -n 20 "$folder/log" | sed 's/```/` ` `/g'
    echo '```'
  } >"$folder/comment.md"
  [ $code -ne 0 ] || { outcome=failed && echo "outcome=failed" >>"$GITHUB_OUTPUT" && echo failed >"$folder/outcome"; }
fi
{
  echo
  echo "<details><summary>Reproduce at your desk</summary>"
  echo
  echo '```'
  echo "git fetch origin $TARE_OLD $new"
  printf '%q ' "${command[@]}"
  seed=''
  [ -z "$study" ] || seed=$(grep -m 1 '^{"study":' "$study/result.jsonl" | jq -r '.study.seed | numbers' || true)
  [ -z "$seed" ] || printf -- '-seed %s' "$seed"
  echo
  echo '```'
  echo
  echo "</details>"
} >>"$folder/comment.md"
