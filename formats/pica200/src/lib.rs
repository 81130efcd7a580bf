//! PICA200, the shader code of the Nintendo 3DS.
