package html

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html/template"
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

// write writes the page. Body writes the element body without its end tag,
// which comes after the scripts.
func (f frame) write(w io.Writer, body func(io.Writer) error) error {
	// The policy lists hashes, so neither markup in a name nor a file next to
	// the page can run or load anything.
	policy := "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src " + hashes(f.style) + "; script-src " + hashes(f.scripts...)
	out := &errorWriter{w: w}
	io.WriteString(out, `<!doctype html><html lang="en"><head><meta charset="utf-8">`+
		`<meta http-equiv="Content-Security-Policy" content="`+policy+`">`+
		`<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark">`+
		`<meta name="generator" content="tare"><link rel="icon" href="data:,"><title>`+template.HTMLEscapeString(f.title)+
		`</title><style>`+f.style+"</style></head>\n")
	if err := body(out); err != nil {
		return err
	}
	for _, s := range f.scripts {
		fmt.Fprintf(out, "<script>%s</script>\n", s)
	}
	io.WriteString(out, "</body></html>\n")
	return out.err
}

// hashes are the sources of a policy that allow these texts.
func hashes(texts ...string) string {
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = "'" + hash(text) + "'"
	}
	return strings.Join(all, " ")
}

// hash is the source of a policy that allows a text, without its quotes.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// errorWriter keeps the first error.
type errorWriter struct {
	w   io.Writer
	err error
}

func (e *errorWriter) Write(b []byte) (int, error) {
	if e.err != nil {
		return 0, e.err
	}
	_, e.err = e.w.Write(b)
	return len(b), e.err
}
