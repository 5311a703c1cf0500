package process

import (
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	for text, want := range map[string]string{
		"ssh bench1": "ssh|bench1", " srun  -N1 --exclusive ": "srun|-N1|--exclusive",
		`ssh -o 'ProxyCommand nc %h %p' "a b"`: "ssh|-o|ProxyCommand nc %h %p|a b",
		`$BIN -f'a b'"c d" ''`:                 "$BIN|-fa bc d|",
		`"C:\Program Files\x.exe" \n`:          `C:\Program Files\x.exe|\n`,
		"":                                     "!", "ssh 'a": "!",
	} {
		words, err := Split(text)
		if got := strings.Join(words, "|"); err == nil && got != want || err != nil && want != "!" {
			t.Errorf("%q is %q, %v; want %q", text, got, err, want)
		}
	}
}
