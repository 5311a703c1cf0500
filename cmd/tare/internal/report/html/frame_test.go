package html

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestFrame(t *testing.T) {
	var out bytes.Buffer
	p := frame{title: "a < b", style: "b{}", scripts: []string{"f()", "g()"}}
	if err := p.write(&out, func(s *sheet) { s.put("<body>%s\n", "a\"<b>") }); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{ // hashes by openssl dgst -sha256 -binary | base64
		"<title>a &lt; b</title><style>b{}</style></head>\n<body>a&#34;&lt;b&gt;\n<script>f()</script>\n<script>g()</script>\n</body></html>\n",
		"style-src 'sha256-7yqHVAesot11p6HczDsgKRipvI5UPgs97z80zNXlans='; script-src 'sha256-GcEEE0IkDzIP5EQ6DXZaDPORqT5RTBELX8Fyzyg9yvo=' 'sha256-0MnLMx7X/7BMD5xktSLMF+06cYrjoQUKaUL576/RYPk='\"",
	} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("no %s in\n%s", part, out.String())
		}
	}
}

// full fails from the first byte on.
type full struct{}

var errFull = errors.New("no space left")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestFrameFails(t *testing.T) {
	if err := (frame{}).write(full{}, func(*sheet) {}); !errors.Is(err, errFull) {
		t.Errorf("error %v, want %v", err, errFull)
	}
}
