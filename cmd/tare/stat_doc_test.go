package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/cmd/tare/internal/session"
)

// TestStatDoc runs the commands of docs/stat.md in the folder of its files:
// what the page shows is what tare says. With -update it writes the page.
func TestStatDoc(t *testing.T) {
	page, err := filepath.Abs("../../docs/stat.md")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Join(filepath.Dir(page), "stat"))
	block := regexp.MustCompile("(?s)```\n\\$ (tare stat [^\n]*)\n.*?```")
	shown := 0
	got := block.ReplaceAllFunc(text, func(b []byte) []byte {
		shown++
		command := string(block.FindSubmatch(b)[1])
		var out, problems bytes.Buffer
		if code := run(context.Background(), session.Host{Tree: os.DirFS("/")}, strings.Fields(command), nil, &out, &problems); code != exitDone {
			t.Errorf("%s: exit %d, %s", command, code, problems.String())
		}
		return []byte("```\n$ " + command + "\n" + out.String() + "```")
	})
	if shown < 3 {
		t.Fatalf("%d commands on the page, want 3", shown)
	}
	if *update {
		if err := os.WriteFile(page, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(string(text), string(got)); d != "" {
		t.Errorf("docs/stat.md (-page +now):\n%s", d)
	}
}
