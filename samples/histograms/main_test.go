package main

import (
	"strings"
	"testing"
)

func TestLesson(t *testing.T) {
	var b strings.Builder
	lesson(&b, 1000)
	if strings.Count(b.String(), "n 1,000  mean") != 2 || strings.Contains(b.String(), "NaN") {
		t.Error(b.String())
	}
	if Text != "hello, world 123" || string(Bytes) != Text {
		t.Errorf("%q and %q", Text, Bytes)
	}
}
