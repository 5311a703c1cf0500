package lintdriver

import (
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/tarebench/tare/cmd/tare/lint"
)

// AnswerVet answers the go command's protocol for go vet -vettool=tare: the
// tool is asked for -V=full and -flags, then called with a *.cfg file per
// package. It does not return when that is what args are.
func AnswerVet(args []string) {
	if len(args) < 2 {
		return
	}
	switch last := args[len(args)-1]; {
	case args[1] == "-V=full", args[1] == "-flags", strings.HasSuffix(last, ".cfg") && (len(args) == 2 || strings.HasPrefix(args[1], "-")):
		unitchecker.Main(lint.Analyzers()...)
	}
}
