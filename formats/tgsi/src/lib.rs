//! TGSI, the shader text of Gallium.
