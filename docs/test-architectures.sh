#!/bin/sh
# Tests the library on other processors: 386 on an amd64 kernel, arm64 under
# qemu-user (Debian: qemu-user-static). What cannot run here is named.
set -u
cd "$(dirname "$0")/.." || exit 1
export CGO_ENABLED=0 GOWORK=off
failed=0

if [ "$(go env GOHOSTARCH)" = amd64 ]; then
	GOARCH=386 go test ./... || failed=1
else
	echo "NOT RUN: 386 needs an amd64 machine"
fi
qemu=$(command -v qemu-aarch64-static || command -v qemu-aarch64)
if [ -n "$qemu" ]; then
	GOARCH=arm64 go test -skip 'TestRecordIsInlined|TestBuildTagMakesItPlain' -exec "$qemu" ./... || failed=1
else
	echo "NOT RUN: arm64 needs qemu-aarch64-static"
fi
for target in windows/amd64 windows/arm64 darwin/arm64 linux/riscv64; do
	echo "NOT RUN: $target is vetted only"
	GOOS=${target%/*} GOARCH=${target#*/} go vet ./... || failed=1
done
exit $failed
