// Package serving is the program of a served transformer: instances of the model answer requests that
// arrive over time, and ranks compute and communicate as in vLLM.
//
// The first rank of an instance, its leader, decides what each iteration works on, as in Orca (Yu et
// al., OSDI 2022), and tells the other ranks by messages. All ranks of an instance keep the same list
// of sequences, so that what follows from a decision needs no message. Instances for prompts and for
// the tokens after the first one may be apart (Zhong et al., DistServe, OSDI 2024; Patel et al.,
// Splitwise, ISCA 2024). docs/serving.md describes the model.
package serving
