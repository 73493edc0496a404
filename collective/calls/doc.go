// Package calls calls a collective that is given by its kind.
//
// It imports the algorithms of all collectives. A program that imports it can thus use all of them
// by name.
package calls
