package report

import (
	"encoding/json"
	"fmt"
	"io"
)

// JSON writes v, a plain struct of package result, with unrounded numbers;
// what is unknown is null.
func JSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("encode JSON: %w", err)
	}
	return nil
}
