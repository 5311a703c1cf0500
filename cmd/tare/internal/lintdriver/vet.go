package lintdriver

import (
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/tarebench/tare/cmd/tare/lint"
)

// AnswerVet answers the go command's protocol for go vet -vettool=tare. The go
// command calls the tool with -V=full and -flags, then with a *.cfg file per
// package. AnswerVet does not return if args are such a call.
func AnswerVet(args []string) {
	if len(args) < 2 {
		return
	}
	switch last := args[len(args)-1]; {
	case args[1] == "-V=full", args[1] == "-flags", strings.HasSuffix(last, ".cfg") && (len(args) == 2 || strings.HasPrefix(args[1], "-")):
		unitchecker.Main(lint.Analyzers()...)
	}
}
