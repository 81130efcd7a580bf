//! AGAL, the byte code of Flash's Stage3D.
