package difference

import (
	"errors"
	"fmt"
	"io"
)

// Text writes a difference as text.
func Text(w io.Writer, d *Difference) error {
	_, err := fmt.Fprintln(w, d.What)
	errs := []error{err}
	for i, e := range d.Events {
		if i == 0 {
			_, err := fmt.Fprintln(w, "\nThe first differences, in the order of time:")
			errs = append(errs, err)
		}
		_, err := fmt.Fprintf(w, "  %s\n", e.Words)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
