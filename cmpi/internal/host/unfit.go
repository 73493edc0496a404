package host

// UnfitError is the refusal of a file that is no program built by the wrappers, or is not there.
type UnfitError struct{ Text string }

func (e *UnfitError) Error() string { return e.Text }
