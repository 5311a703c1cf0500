package export

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"strconv"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// rasterise turns a picture of package plot into PNG, scale pixels to one. It
// knows the part of SVG that plot writes (rect, path of M, L, h0 and Z, text)
// and no more; general rasterizers draw no text.
func rasterise(w io.Writer, svg []byte, scale float64) error {
	r := &raster{scale: scale, faces: make(map[string]font.Face)}
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read picture: %w", err)
		}
		if e, ok := token.(xml.StartElement); ok {
			if err := r.element(d, e); err != nil {
				return fmt.Errorf("draw %s: %w", e.Name.Local, err)
			}
		}
	}
	if r.image == nil {
		return errors.New("draw picture: no svg element")
	}
	if err := EncodePNG(w, r.image); err != nil {
		return fmt.Errorf("write PNG: %w", err)
	}
	return nil
}

type raster struct {
	image *image.RGBA
	scale float64
	faces map[string]font.Face
}

type attributes map[string]string

func (a attributes) number(name string, otherwise float64) float64 {
	if v, err := strconv.ParseFloat(a[name], 64); err == nil {
		return v
	}
	return otherwise
}

func (r *raster) element(d *xml.Decoder, e xml.StartElement) error {
	a := make(attributes)
	for _, attr := range e.Attr {
		a[attr.Name.Local] = attr.Value
	}
	if e.Name.Local == "svg" {
		r.image = image.NewRGBA(image.Rect(0, 0, int(math.Ceil(a.number("width", 1)*r.scale)), int(math.Ceil(a.number("height", 1)*r.scale))))
		return nil
	}
	switch e.Name.Local {
	case "rect":
		x, y, w, h := a.number("x", 0), a.number("y", 0), a.number("width", 0), a.number("height", 0)
		return r.fill([][]point{{{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}}}, a["fill"], a.number("opacity", 1))
	case "path":
		lines := parsePath(a["d"])
		if a["fill"] != "none" {
			return r.fill(lines, a["fill"], a.number("opacity", 1))
		}
		outline := strokeOutline(dashed(lines, a["stroke-dasharray"]), a.number("stroke-width", 1)/2)
		return r.fill(outline, a["stroke"], a.number("opacity", 1))
	case "text":
		var text string
		if err := d.DecodeElement(&text, &e); err != nil {
			return err
		}
		return r.text(a, text)
	}
	return nil
}

type point struct{ x, y float64 }

// parsePath reads the path commands that plot writes.
func parsePath(d string) [][]point {
	var lines [][]point
	for len(d) > 0 {
		command := d[0]
		d = d[1:]
		end := strings.IndexAny(d, "MLhZ")
		if end < 0 {
			end = len(d)
		}
		args := strings.Fields(d[:end])
		d = d[end:]
		switch command {
		case 'M', 'L':
			if len(args) != 2 {
				continue
			}
			x, _ := strconv.ParseFloat(args[0], 64)
			y, _ := strconv.ParseFloat(args[1], 64)
			if command == 'M' || len(lines) == 0 {
				lines = append(lines, nil)
			}
			last := len(lines) - 1
			lines[last] = append(lines[last], point{x, y})
		}
	}
	return lines
}

// dashed cuts lines by a pattern "on off".
func dashed(lines [][]point, pattern string) [][]point {
	fields := strings.Fields(pattern)
	if len(fields) != 2 {
		return lines
	}
	var lengths [2]float64
	for i, f := range fields {
		v, err := strconv.ParseFloat(f, 64)
		if err != nil || v <= 0 {
			return lines
		}
		lengths[i] = v
	}
	var out [][]point
	for _, line := range lines {
		left, on := lengths[0], 0
		for i := 1; i < len(line); i++ {
			a, b := line[i-1], line[i]
			length := math.Hypot(b.x-a.x, b.y-a.y)
			for at := 0.0; at < length; {
				step := min(left, length-at)
				p := point{a.x + (b.x-a.x)*at/length, a.y + (b.y-a.y)*at/length}
				q := point{a.x + (b.x-a.x)*(at+step)/length, a.y + (b.y-a.y)*(at+step)/length}
				if on == 0 {
					out = append(out, []point{p, q})
				}
				at += step
				if left -= step; left <= 0 {
					on = 1 - on
					left = lengths[on]
				}
			}
		}
	}
	return out
}

// strokeOutline is the area of lines with round caps and joins: a rectangle a
// segment and a disc a point, all turning the same way so that they add up.
func strokeOutline(lines [][]point, half float64) [][]point {
	var out [][]point
	for _, line := range lines {
		for i, p := range line {
			out = append(out, disc(p, half))
			if i == 0 {
				continue
			}
			a := line[i-1]
			length := math.Hypot(p.x-a.x, p.y-a.y)
			if length == 0 {
				continue
			}
			nx, ny := -(p.y-a.y)/length*half, (p.x-a.x)/length*half
			out = append(out, []point{{a.x - nx, a.y - ny}, {p.x - nx, p.y - ny}, {p.x + nx, p.y + ny}, {a.x + nx, a.y + ny}})
		}
	}
	return out
}

func disc(c point, radius float64) []point {
	const sides = 16
	out := make([]point, sides)
	for i := range out {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / sides)
		out[i] = point{c.x + radius*cos, c.y + radius*sin}
	}
	return out
}

func (r *raster) fill(shapes [][]point, paint string, opacity float64) error {
	c, err := parseColor(paint, opacity)
	if err != nil || r.image == nil {
		return err
	}
	box := image.Rectangle{Min: image.Pt(math.MaxInt32, math.MaxInt32), Max: image.Pt(math.MinInt32, math.MinInt32)}
	for _, shape := range shapes {
		for _, p := range shape {
			x, y := p.x*r.scale, p.y*r.scale
			box.Min.X, box.Min.Y = min(box.Min.X, int(math.Floor(x))), min(box.Min.Y, int(math.Floor(y)))
			box.Max.X, box.Max.Y = max(box.Max.X, int(math.Ceil(x))), max(box.Max.Y, int(math.Ceil(y)))
		}
	}
	box = box.Intersect(r.image.Bounds())
	if box.Empty() {
		return nil
	}
	z := vector.NewRasterizer(box.Dx(), box.Dy())
	for _, shape := range shapes {
		for i, p := range shape {
			x, y := float32(p.x*r.scale-float64(box.Min.X)), float32(p.y*r.scale-float64(box.Min.Y))
			if i == 0 {
				z.MoveTo(x, y)
			} else {
				z.LineTo(x, y)
			}
		}
		z.ClosePath()
	}
	z.Draw(r.image, box, image.NewUniform(c), image.Point{})
	return nil
}

func (r *raster) text(a attributes, text string) error {
	c, err := parseColor(a["fill"], 1)
	if err != nil || r.image == nil {
		return err
	}
	face, err := r.face(a.number("font-size", 12), a["font-weight"] == "600")
	if err != nil {
		return err
	}
	d := font.Drawer{Dst: r.image, Src: image.NewUniform(c), Face: face}
	x := fixed.Int26_6(math.Round(a.number("x", 0) * r.scale * 64))
	switch width := d.MeasureString(text); a["text-anchor"] {
	case "middle":
		x -= width / 2
	case "end":
		x -= width
	}
	d.Dot = fixed.Point26_6{X: x, Y: fixed.Int26_6(math.Round(a.number("y", 0) * r.scale * 64))}
	d.DrawString(text)
	return nil
}

func (r *raster) face(size float64, bold bool) (font.Face, error) {
	key := fmt.Sprint(size, bold)
	if f := r.faces[key]; f != nil {
		return f, nil
	}
	ttf := goregular.TTF
	if bold {
		ttf = gobold.TTF
	}
	parsed, err := opentype.Parse(ttf)
	if err != nil {
		return nil, err
	}
	f, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: size * r.scale, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		return nil, err
	}
	r.faces[key] = f
	return f, nil
}

func parseColor(s string, opacity float64) (color.Color, error) {
	v, err := strconv.ParseUint(strings.TrimPrefix(s, "#"), 16, 32)
	if err != nil || len(s) != 7 {
		return nil, fmt.Errorf("color %q", s)
	}
	return color.NRGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), uint8(math.Round(opacity * 255))}, nil
}
