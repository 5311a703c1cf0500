package html

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// tab is a tab that remembers every console message, exception and blocked
// resource.
type tab struct {
	context.Context
	mu       sync.Mutex
	problems []string
}

func (b *tab) note(s string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.problems = append(b.problems, s)
}

// openTab starts a Chromium, or skips the test if there is none. It ends with
// the test.
func openTab(t *testing.T, javascript bool) *tab {
	t.Helper()
	if testing.Short() {
		t.Skip("starts Chromium; run without -short")
	}
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		t.Skip("no Chromium: apt-get update && apt-get install -y chromium")
	}
	options := append([]chromedp.ExecAllocatorOption{}, chromedp.DefaultExecAllocatorOptions[:]...)
	// Chromium leaves directories in the directory of temporary files.
	options = append(options, chromedp.Env("TMPDIR="+t.TempDir()), chromedp.ExecPath(path), chromedp.WindowSize(1240, 1000), chromedp.WSURLReadTimeout(3*time.Minute))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium refuses root otherwise
	}
	allocator, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	page, closeTab := chromedp.NewContext(allocator)
	t.Cleanup(closeTab)
	b := &tab{Context: page}
	listen := func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			b.note("exception: " + e.ExceptionDetails.Text + " " + e.ExceptionDetails.Exception.Description)
		case *runtime.EventConsoleAPICalled:
			b.note("console." + string(e.Type))
		case *log.EventEntryAdded:
			b.note("log: " + e.Entry.Text)
		}
	}
	if err := chromedp.Listen(page, listen); err != nil {
		t.Fatal(err)
	}
	for _, enable := range []error{
		second(chromedp.Call(page, log.Enable, cdp.Empty{})),
		second(chromedp.Call(page, runtime.Enable, cdp.Empty{})),
		second(chromedp.Call(page, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !javascript})),
	} {
		if enable != nil {
			t.Fatal(enable)
		}
	}
	limited, cancel := context.WithTimeout(page, 5*time.Minute)
	t.Cleanup(cancel)
	b.Context = limited
	return b
}

func second[T any](_ T, err error) error { return err }

// Do runs actions.
func (b *tab) Do(t *testing.T, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(b, actions...); err != nil {
		t.Fatal(err)
	}
}

// Quiet fails the test if the page reported an error.
func (b *tab) Quiet(t *testing.T) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.problems) > 0 {
		t.Errorf("the page complained:\n%s", strings.Join(b.problems, "\n"))
	}
}

// askTab returns the value of an action.
func askTab[T any](t *testing.T, b *tab, action chromedp.Action[T]) T {
	t.Helper()
	v, err := chromedp.Run(b, action)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// tabText is the value of a script.
func tabText(t *testing.T, b *tab, script string) string {
	t.Helper()
	return askTab(t, b, chromedp.Evaluate[string](script))
}
