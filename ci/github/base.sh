#!/usr/bin/env bash
# Finds the revision to compare with and writes it to the output "base": the
# merge base with the target branch of a pull request, the commit before a push,
# or what the input "base" names. Deepens a shallow clone as far as it needs.
set -euo pipefail

resolve() { git rev-parse --verify --quiet --end-of-options "$1^{commit}"; }

# deepen fetches more history until the command succeeds.
deepen() {
  local more=64
  until "$@"; do
    if [ "$(git rev-parse --is-shallow-repository)" = false ]; then
      return 1
    fi
    git fetch --quiet --no-tags --deepen="$more" origin || return 1
    more=$((more * 4))
  done
}

found=''
merge_base() { found=$(git merge-base "$1" HEAD 2>/dev/null); }
parent() { found=$(resolve HEAD~1); }

event() { jq -r "$1 // empty" "$GITHUB_EVENT_PATH"; }

if [[ "${TARE_BASE:-}" == -* ]]; then
  # git would take it for an option, and some of its options run commands.
  echo "::error title=tare::the input base is a revision, which does not begin with a dash"
  exit 1
elif [ -n "${TARE_BASE:-}" ]; then
  found=$(resolve "$TARE_BASE") || found=$(resolve "origin/$TARE_BASE") || {
    git fetch --quiet --no-tags --depth=1 --end-of-options origin "$TARE_BASE"
    found=$(resolve FETCH_HEAD)
  }
elif [ -n "${GITHUB_BASE_REF:-}" ]; then
  # A pull request, from a fork too: its target branch is in the origin.
  git fetch --quiet --no-tags --depth=64 origin "+refs/heads/$GITHUB_BASE_REF:refs/remotes/origin/$GITHUB_BASE_REF"
  deepen merge_base "refs/remotes/origin/$GITHUB_BASE_REF" || {
    echo "::error title=tare::$GITHUB_BASE_REF and this branch have no common ancestor: name the revision to compare with in the input base"
    exit 1
  }
else
  # A push: what the branch was before, or the parent for a new branch and
  # after a force push.
  before=$(event .before)
  if [ -n "$before" ] && [ -n "${before//0/}" ] && { resolve "$before" >/dev/null || git fetch --quiet --no-tags --depth=1 --end-of-options origin "$before" 2>/dev/null; }; then
    found=$(resolve "$before")
  else
    deepen parent || {
      echo "::error title=tare::this commit has no parent to compare with: name a revision in the input base"
      exit 1
    }
  fi
fi
echo "comparing with $(git log -1 --format='%h %s' "$found")"
echo "base=$found" >>"$GITHUB_OUTPUT"
