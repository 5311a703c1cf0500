package main

import (
	"bytes"
	"strings"
	"testing"
)

// TestArchivesHaveNoTime: an archive depends on names, modes and contents alone.
func TestArchivesHaveNoTime(t *testing.T) {
	entries := []entry{{"tare", 0o755, []byte("program")}, {"LICENSE", 0o644, []byte("text")}}
	var tar, zip [2]bytes.Buffer
	for i := range 2 {
		if err := writeTar(&tar[i], entries); err != nil {
			t.Fatal(err)
		}
		if err := writeZip(&zip[i], entries); err != nil {
			t.Fatal(err)
		}
	}
	if tar[0].String() != tar[1].String() || zip[0].String() != zip[1].String() {
		t.Error("the second archive differs")
	}
}

func TestVersions(t *testing.T) {
	for _, args := range [][]string{{}, {"v1.2.3"}, {"1.2.3", "x"}, {"v1.2", "x"}, {"v1.2.3;rm", "x"}, {"--help", "x"}} {
		if err := release(args); err == nil || !strings.HasPrefix(err.Error(), "usage") {
			t.Errorf("%q: %v", args, err)
		}
	}
}
