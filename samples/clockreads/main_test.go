package main

import (
	"strings"
	"testing"
)

func TestLesson(t *testing.T) {
	var b strings.Builder
	lesson(&b, 1000)
	if strings.Count(b.String(), "\n") != 3 || strings.Contains(b.String(), "NaN") {
		t.Error(b.String())
	}
}
