package space

// Reloads gives tests what a loop nest says of each tensor.
var Reloads = (*Problem).reloads
