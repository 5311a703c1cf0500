package html

import (
	"crypto/sha256"
	"encoding/base64"
	"io"
	"strings"
)

// frame is the page around a body. Style and scripts are in the file: it loads
// nothing, and runs only these scripts.
type frame struct {
	title   string
	style   string
	scripts []string
}

func (f frame) write(w io.Writer, body func(*sheet)) error {
	// The policy lists hashes, so neither markup in a name nor a file next to
	// the page can run or load anything.
	policy := "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src " + hashes(f.style) + "; script-src " + hashes(f.scripts...)
	var s sheet
	s.put(`<!doctype html><html lang="en"><head><meta charset="utf-8">`+
		`<meta http-equiv="Content-Security-Policy" content="%s">`+
		`<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark">`+
		`<meta name="generator" content="tare"><link rel="icon" href="data:,"><title>%s</title><style>%s</style></head>`+"\n", policy, f.title, markup(f.style))
	body(&s)
	for _, script := range f.scripts {
		s.put("<script>%s</script>\n", markup(script))
	}
	s.put("</body></html>\n")
	_, err := io.WriteString(w, s.String())
	return err
}

func hashes(texts ...string) markup {
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = "'" + hash(text) + "'"
	}
	return markup(strings.Join(all, " "))
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
