package timeline

import (
	"fmt"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/history"
	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/report/words"
)

// points is a row of what other tools measured: a dashed curve of its own,
// apart from the levels.
type points struct {
	Name, Pkg, Machine, Last, Path, From, To string
	N                                        int
}

// The size of a curve of points, and the most steps that it shows.
const (
	pointsWidth, pointsHeight = 180, 26
)

func pointsOf(t history.Track) points {
	name := words.Printable(t.Name)
	if t.Unit != "sec/op" {
		name += " " + words.Printable(t.Unit)
	}
	first, last := t.Points[0], t.Points[len(t.Points)-1]
	return points{
		Name: name, Pkg: words.Printable(t.Pkg), Machine: words.Printable(t.Machine), Last: report.PointWords(last.Value),
		Path: pointsPath(t.Points), From: short(first.Commit.Hash), To: short(last.Commit.Hash), N: len(t.Points),
	}
}

// pointsPath is the curve of points as a path of SVG; those that fall on the
// pixel before are left out.
func pointsPath(list []history.Point) string {
	lo, hi := list[0].Value.Value, list[0].Value.Value
	for _, p := range list {
		lo, hi = min(lo, p.Value.Value), max(hi, p.Value.Value)
	}
	var path strings.Builder
	before, command := "", "M"
	for i, p := range list {
		x := 2 + (pointsWidth-4)*float64(i)/float64(max(1, len(list)-1))
		y := float64(pointsHeight) / 2
		if hi > lo {
			// Halves, since the difference of two values may be infinite.
			y = 3 + (pointsHeight-6)*((hi/2-p.Value.Value/2)/(hi/2-lo/2))
		}
		point := fmt.Sprintf("%.0f %.1f", x, y)
		if point != before {
			path.WriteString(command + point)
			before, command = point, "L"
		}
	}
	return path.String()
}
