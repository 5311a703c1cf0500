package drawing

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The colors are Okabe and Ito's palette, which color-blind readers can
// distinguish, slightly lighter on a dark background. Elements carry the light
// color as an attribute and the dark one through their class. A viewer without
// style sheets then still shows the light picture.
var palette = []style{
	{"c0", "#0072b2", "#56b4e9"}, // blue
	{"c1", "#d55e00", "#f0923b"}, // vermilion
	{"c2", "#009e73", "#2fc796"}, // green
	{"c3", "#a6548a", "#e093c4"}, // purple
	{"c4", "#8c6d00", "#e6c229"}, // ochre
	{"c5", "#5b6470", "#a9b4c2"}, // gray
}

// Surfaces and text.
var (
	paper = style{"paper", "#ffffff", "#14181d"}
	ink   = style{"ink", "#1c2126", "#e8ecf1"}
	muted = style{"muted", "#5b6470", "#a0abb8"}
	grid  = style{"grid", "#e3e7eb", "#2b323a"}
	band  = style{"band", "#eceff2", "#232a32"}
)

type style struct{ class, light, dark string }

func hue(i int) style { return palette[i%len(palette)] }

// dash distinguishes series of the same color. The first series, one for each
// color, have solid lines.
func dash(i int) string {
	return [...]string{"", "7 4", "2 4", "9 3 2 3"}[i/len(palette)%4]
}

type picture struct {
	bytes.Buffer
	width, height float64
}

func newPicture(width, height float64, title string) *picture {
	p := &picture{width: width, height: height}
	w, h := number(width), number(height)
	fmt.Fprintf(p, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" role="img" font-family="system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif" font-size="12">`, w, h, w, h)
	p.WriteString("\n<title>" + escape(title) + "</title>\n<style>@media(prefers-color-scheme:dark){")
	for _, s := range append([]style{paper, ink, muted, grid, band}, palette...) {
		fmt.Fprintf(p, ".%s[fill]:not([fill=none]){fill:%s}.%s[stroke]{stroke:%s}", s.class, s.dark, s.class, s.dark)
	}
	p.WriteString("}</style>\n")
	p.rect(0, 0, width, height, paper, 1)
	return p
}

// describe writes a description of the picture, for readers who cannot see it.
func (p *picture) describe(o Options, all []*sample) {
	var b strings.Builder
	for i, s := range all {
		if i == 10 {
			fmt.Fprintf(&b, "and %d more", len(all)-i)
			break
		}
		fmt.Fprintf(&b, "%s: %s values, median %s, from %s to %s. ", s.name, grouped(s.total),
			valueLabel(o.unit(), s.quantile(0.5)), valueLabel(o.unit(), s.min()), valueLabel(o.unit(), s.max()))
	}
	p.WriteString("<desc>" + escape(strings.TrimSpace(b.String())) + "</desc>\n")
}

func (p *picture) finish(w io.Writer) error {
	p.WriteString("</svg>\n")
	if _, err := w.Write(p.Bytes()); err != nil {
		return fmt.Errorf("write picture: %w", err)
	}
	return nil
}

func number(v float64) string {
	s := strconv.FormatFloat(v, 'f', 1, 64)
	s = strings.TrimSuffix(s, ".0")
	if s == "-0" {
		return "0"
	}
	return s
}

func opacity(o float64) string {
	if o >= 1 {
		return ""
	}
	return ` opacity="` + strconv.FormatFloat(o, 'g', 3, 64) + `"`
}

func (p *picture) rect(x, y, w, h float64, s style, o float64) {
	fmt.Fprintf(p, `<rect class="%s" x="%s" y="%s" width="%s" height="%s" fill="%s"%s/>`+"\n",
		s.class, number(x), number(y), number(w), number(h), s.light, opacity(o))
}

func (p *picture) stroke(d string, s style, width float64, dash string, o float64) {
	if d == "" {
		return
	}
	if dash != "" {
		dash = ` stroke-dasharray="` + dash + `"`
	}
	fmt.Fprintf(p, `<path class="%s" d="%s" fill="none" stroke="%s" stroke-width="%s" stroke-linecap="round" stroke-linejoin="round"%s%s/>`+"\n",
		s.class, d, s.light, number(width), dash, opacity(o))
}

func (p *picture) fill(d string, s style, o float64) {
	fmt.Fprintf(p, `<path class="%s" d="%s" fill="%s"%s/>`+"\n", s.class, d, s.light, opacity(o))
}

// text writes untrusted text. anchor is "start", "middle" or "end".
func (p *picture) text(x, y float64, anchor string, s style, size float64, bold bool, text string) {
	weight := ""
	if bold {
		weight = ` font-weight="600"`
	}
	fmt.Fprintf(p, `<text class="%s" x="%s" y="%s" text-anchor="%s" font-size="%s"%s fill="%s">%s</text>`+"\n",
		s.class, number(x), number(y), anchor, number(size), weight, s.light, escape(text))
}

// path builds the d attribute, of a line or of marks. Points at the same tenth of
// a pixel are written once.
type path struct {
	b    strings.Builder
	last string
}

func (d *path) to(x, y float64) {
	at := number(x) + " " + number(y)
	switch d.last {
	case at:
		return
	case "":
		d.b.WriteByte('M')
	default:
		d.b.WriteByte('L')
	}
	d.b.WriteString(at)
	d.last = at
}

// dot is a subpath without length, which a round line cap draws as a disc.
func (d *path) dot(x, y float64) { d.mark(x, y, 0) }

// mark is a dot, or a short bar when colors repeat: horizontal, then vertical.
func (d *path) mark(x, y float64, cycle int) {
	at := "M" + number(x) + " " + number(y) + [...]string{"h0", "h5", "v5"}[cycle%3]
	if at == d.last {
		return
	}
	d.b.WriteString(at)
	d.last = at
}

func (d *path) String() string { return d.b.String() }

func segment(x0, y0, x1, y1 float64) string {
	return "M" + number(x0) + " " + number(y0) + "L" + number(x1) + " " + number(y1)
}

// escape makes untrusted text safe inside an element. It escapes markup, and
// replaces characters that XML forbids or that would turn the reading
// direction.
func escape(s string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return utf8.RuneError
	}, s))
}

// clip shortens s to width pixels at a font size. It cuts the middle, because
// names differ at both ends.
func clip(s string, width, size float64) string {
	runes := []rune(s)
	for keep := len(runes) - 1; textWidth(s, size) > width && keep >= 4; keep-- {
		head := keep / 2
		s = string(runes[:head]) + "…" + string(runes[len(runes)-(keep-head):])
	}
	return s
}

// textWidth is the approximate width of s in a wide sans serif font (DejaVu
// Sans). Text that fits in it fits in the other common ones.
func textWidth(s string, size float64) float64 {
	width := 0.0
	for _, r := range s {
		switch {
		case strings.ContainsRune(" .,:;'|!/()[]ijlItfr-", r):
			width += 0.38
		case strings.ContainsRune("mwMW%…→←@", r):
			width += 0.96
		case unicode.IsUpper(r):
			width += 0.7
		default:
			width += 0.63
		}
	}
	return width * size
}
