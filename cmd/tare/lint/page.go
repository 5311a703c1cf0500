package lint

import (
	"embed"
	"strings"
)

//go:embed checks/*.md
var pages embed.FS

type checkPage struct {
	// text is the whole file. doc is the part between the title and the
	// examples: a summary in one line, an empty line, and the explanation.
	text, title, doc string
}

// page reads checks/NAME.md: a title, a text, and the sections Wrong and Right
// with a code block each, which a test runs. It panics if the file is missing.
func page(name string) checkPage {
	data, err := pages.ReadFile("checks/" + name + ".md")
	if err != nil {
		panic(err)
	}
	p := checkPage{text: strings.ReplaceAll(string(data), "\r\n", "\n")}
	head, _, _ := strings.Cut(p.text, "\n## Wrong\n")
	title, doc, _ := strings.Cut(head, "\n")
	p.title, p.doc = strings.TrimPrefix(title, "# "), strings.TrimSpace(doc)
	return p
}
