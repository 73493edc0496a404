// Package calls makes the call of a collective that is known by its kind.
//
// It imports the algorithms of all collectives, so that a program that imports it knows all of them
// by name.
package calls
