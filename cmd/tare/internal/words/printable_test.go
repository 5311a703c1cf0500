package words

import "testing"

func TestPrintableEscapesWhatDoesNotShow(t *testing.T) {
	for in, want := range map[string]string{
		"Sort/n=10 µs":     "Sort/n=10 µs",
		"a\x1b[2Jb\nc\x00": `a\x1b[2Jb\x0ac\x00`,
		"\u202egnp.exe":    `\u202egnp.exe`,
		"\xff\ufffd":       `\xff` + "\ufffd",
		"\U000e0041":       `\U000e0041`,
		"::error::x":       `\x3a:error::x`,
	} {
		if got := Printable(in); got != want {
			t.Errorf("Printable(%q) = %q, want %q", in, got, want)
		}
	}
}
