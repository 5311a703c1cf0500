#!/usr/bin/env bash
# Posts or updates the one comment of tare on a pull request. It runs in a
# workflow of its own with the right to comment, and treats everything in the
# artifact as untrusted text: nothing of it is executed, and the number in it
# counts only if that pull request has the commit that was measured.
#
# Reads: TARE_FOLDER (the downloaded artifact, may be missing), TARE_SHA (head of
# the measuring run), TARE_CONCLUSION (its conclusion), TARE_RUN_URL,
# GITHUB_TOKEN, GITHUB_API_URL, GITHUB_REPOSITORY.
set -euo pipefail

marker='<!-- tare benchmark comparison -->'
limit=65536 # bytes that GitHub takes

api() { # METHOD PATH [FILE with the body]
  local args=(--silent --show-error --fail-with-body --retry 3 --max-time 60 --request "$1"
    --header "Authorization: Bearer $GITHUB_TOKEN" --header 'Accept: application/vnd.github+json'
    --header 'X-GitHub-Api-Version: 2022-11-28')
  [ $# -lt 3 ] || args+=(--header 'Content-Type: application/json' --data-binary "@$3")
  curl "${args[@]}" "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/$2"
}

# given FILE: the artifact has this file with a content, and it is no link.
folder="${TARE_FOLDER:-}"
given() { [ -n "$folder" ] && [ -f "$folder/$1" ] && [ ! -L "$folder/$1" ] && [ -s "$folder/$1" ]; }

number=''
if given number; then
  number=$(head -c 20 "$folder/number" | tr -d '\n')
fi
if [ -z "$number" ]; then
  # The run ended before it could say: ask which pull request has the commit.
  number=$(api GET "commits/$TARE_SHA/pulls" | jq -r '[.[] | select(.state == "open") | .number][0] // empty')
fi
if [ -z "$number" ]; then
  echo "no open pull request has commit $TARE_SHA: nothing to comment on"
  exit 0
fi
if ! [[ "$number" =~ ^[1-9][0-9]{0,9}$ ]]; then
  echo "::error title=tare::the artifact names no pull request"
  exit 1
fi
head=$(api GET "pulls/$number" | jq -r .head.sha)
if [ "$head" != "$TARE_SHA" ]; then
  echo "pull request $number is at $head by now, not at $TARE_SHA: nothing to comment on"
  exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{
  echo "$marker"
  # Before the artifact's text, which could hide it.
  echo "<sub>commit ${TARE_SHA:0:12} · [run]($TARE_RUN_URL)</sub>"
  echo
  if given comment.md; then
    head -c $((limit - 1024)) "$folder/comment.md"
    echo
  else
    case "$TARE_CONCLUSION" in
    cancelled) echo "**tare did not run**: the workflow was cancelled." ;;
    skipped) echo "**tare did not run**: the workflow was skipped." ;;
    *) echo "**tare did not run**: the workflow ended with \`${TARE_CONCLUSION//[^a-z_]/}\` before it measured anything." ;;
    esac
  fi
} >"$work/comment.md"
# A cut may have split a character.
iconv -c -f utf-8 -t utf-8 "$work/comment.md" >"$work/body.md" || cp "$work/comment.md" "$work/body.md"
jq -Rs '{body: .}' <"$work/body.md" >"$work/body.json"

# The comment of an earlier run is the one with the marker by the same bot.
id='' page=1
while :; do
  api GET "issues/$number/comments?per_page=100&page=$page" >"$work/page.json"
  id=$(jq -r --arg m "$marker" '[.[] | select((.body | startswith($m)) and .user.login == "github-actions[bot]") | .id][0] // empty' "$work/page.json")
  [ -z "$id" ] && [ "$(jq length "$work/page.json")" -eq 100 ] && [ "$page" -lt 30 ] || break
  page=$((page + 1))
done
if [ -n "$id" ]; then
  api PATCH "issues/comments/$id" "$work/body.json" >/dev/null
  echo "updated comment $id of pull request $number"
else
  api POST "issues/$number/comments" "$work/body.json" >/dev/null
  echo "commented on pull request $number"
fi
