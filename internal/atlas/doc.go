// Package atlas finds what each failure of a network costs a run: links, switches and pairs of
// links fail, each in a future of its own, and all futures start from the state of the run just
// before that moment.
package atlas
