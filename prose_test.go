package tare_test

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// privateWords are words that this project used in a sense of its own, or that
// say in two readings what a common word says in one, with the common word.
var privateWords = []struct{ pattern, instead string }{
	{`\bbehind\b`, "after, or the cause by name"}, // but "leave behind": see leavesBehind
	{`\bbeside\b`, "with, next to, in addition to"},
	{`\btold\b`, "reported, distinguished"},
	{`\btells\b`, "reports, distinguishes, notifies"},
	{`\bcoins?\b`, "seed, random choice, random sign"},
	{`\bmoods?\b`, "state, drift"},
	{`\bluck\b`, "effect, chance"},
	{`\bcrews?\b`, "workers"},
	{`\bnought\b`, "zero"},
	{`\bcustomary\b`, "sequential, usual"},
	{`\bso many\b`, "that many, n"},
	{`\bspoil(s|ed|ing|t)?\b`, "disturb"},
	{`\bmend(s|ed|ing)?\b`, "fix"},
	{`\bweight of the (clock|scale)\b`, "overhead of the clock"},
	{`\bper cent\b`, "percent"},
	{`\d %([ ,.;:)*…–|]|$)`, "the percent sign without a space"},
	{`\bamid\b`, "among, during"},
	{`\banew\b`, "again"},
	{`\bdear(er|est)?\b`, "expensive"},
	{`\bfor ever\b`, "forever, indefinitely"},
	{`\b(worth|deserves?) a word\b`, "worth reporting"},
	{`\bspeaks?\b`, "reports, exchanges messages"},
	{`\b(can|cannot|can't|not|to|it|slices|looks|data) tell\b`, "distinguish, report, show"},
	{`\btell [^.]*\bapart\b`, "distinguish"},
	{`\bwild\b`, "outlying, an outlier"},
	{`\bclings?\b`, "belongs to, is the same for"},
	{`\bwanders?\b`, "moves, varies"},
	{`\b(roll(s|ing)?|throw(s|ing)?) (the )?dice\b`, "is random"},
	{`\bof like with like\b`, "without a change"},
	{`\bin trouble\b`, "that ends, stalls or fails"},
	{`\b(colour|centre|neighbour|behaviour|favour|honour|licence|artefact|grey)`, "American spelling"},
	{`\b(judgement|labelled|labelling|whilst|amongst)\b`, "American spelling"},
	{`\b(recognis|randomis|normalis|summaris|optimis(e|ing|ation)|initialis|minimis|maximis|serialis|synchronis|organis)`, "American spelling"},
}

// leavesBehind is the use of "behind" that stays.
var leavesBehind = regexp.MustCompile(`(?i)\b(leav(e|es|ing)|left)\b[^.;:]*\bbehind\b`)

// TestProse holds the words of comments, documents and helps.
func TestProse(t *testing.T) {
	type rule struct {
		*regexp.Regexp
		instead string
	}
	var rules []rule
	for _, w := range privateWords {
		rules = append(rules, rule{regexp.MustCompile(`(?i)` + w.pattern), w.instead})
	}
	texts := 0
	check := func(where, text string) {
		texts++
		text = strings.Join(strings.Fields(text), " ") // an idiom may be on two lines
		text = leavesBehind.ReplaceAllString(text, "leave")
		for _, r := range rules {
			if at := r.FindStringIndex(text); at != nil {
				t.Errorf("%s: …%s…: write %s", where, text[max(0, at[0]-40):min(len(text), at[1]+30)], r.instead)
			}
		}
	}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); path != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "shared" || name == "node_modules") {
				return fs.SkipDir
			}
			return nil
		}
		isHelp := filepath.ToSlash(filepath.Dir(path)) == "cmd/tare/help"
		if path == "prose_test.go" || filepath.Ext(path) != ".go" && filepath.Ext(path) != ".md" && !isHelp {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if filepath.Ext(path) == ".go" {
			comments(path, data, check)
		} else {
			paragraphs(path, string(data), check)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if texts < 5000 {
		t.Errorf("only %d texts were read", texts)
	}
}

// comments calls check with the comments of a Go file; adjacent lines are one.
func comments(path string, data []byte, check func(where, text string)) {
	fset := token.NewFileSet()
	var s scanner.Scanner
	s.Init(fset.AddFile(path, -1, len(data)), data, nil, scanner.ScanComments)
	text, at, last := "", token.Position{}, 0
	flush := func() {
		if text != "" {
			check(at.String(), text)
		}
		text = ""
	}
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			flush()
			return
		}
		if tok != token.COMMENT {
			continue
		}
		p := fset.Position(pos)
		if p.Line > last+1 {
			flush()
			at = p
		}
		if !strings.HasPrefix(lit, "//go:") {
			text += " " + strings.TrimPrefix(lit, "//")
		}
		last = p.Line + strings.Count(lit, "\n")
	}
}

// paragraphs calls check with the text of a document outside of fences, which
// hold code and what programs printed.
func paragraphs(path, data string, check func(where, text string)) {
	fence, text := false, ""
	for line := range strings.Lines(data) {
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "```"):
			fence = !fence
		case fence || strings.HasPrefix(line, "    "):
		case trimmed != "":
			text += line
			continue
		}
		if text != "" {
			check(path, text)
		}
		text = ""
	}
	if text != "" {
		check(path, text)
	}
}
