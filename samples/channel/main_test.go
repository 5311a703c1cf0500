package main

import (
	"strings"
	"testing"
)

func TestLesson(t *testing.T) {
	var b strings.Builder
	if err := lesson(t.Context(), &b, 200); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "n 200  mean") || strings.Contains(b.String(), "stopped") {
		t.Error(b.String())
	}
}
