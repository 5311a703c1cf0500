//go:build !linux

package worker

import "testing"

func testEvents(t *testing.T, version string) { t.Skip("events need Linux") }
