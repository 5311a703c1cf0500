// Crosscheck checks the types of packages for other targets, from source: a build
// for each takes half a minute, most of it for the standard library.
//
//	crosscheck windows/amd64 darwin/arm64 -- ./...
package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	i := slices.Index(os.Args, "--")
	if i < 0 {
		fmt.Fprintln(os.Stderr, "usage: crosscheck os/arch… -- package…")
		os.Exit(2)
	}
	for _, target := range os.Args[1:i] {
		system, arch, _ := strings.Cut(target, "/")
		all, err := packages.Load(&packages.Config{
			Mode: packages.LoadAllSyntax,
			Env:  append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0"),
		}, os.Args[i+1:]...)
		if err != nil {
			fmt.Fprintf(os.Stderr, "load packages for %s: %v\n", target, err)
			os.Exit(1)
		}
		if packages.PrintErrors(all) > 0 {
			fmt.Fprintf(os.Stderr, "packages have errors for %s\n", target)
			os.Exit(1)
		}
	}
}
