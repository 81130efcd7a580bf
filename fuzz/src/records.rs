//! Records of control streams, descriptors and kernel calls: every byte string decodes, prints, and encodes
//! to the same bytes.

use agx_abi::record;

/// Tests `data` as each record of the tables.
pub fn records(data: &[u8]) {
    for (_, record) in record::all() {
        let mut whole = data.to_vec();
        whole.resize(record.bytes, 0);
        let values = record.decode(&whole);
        assert_eq!(record.encode(&values), whole, "{}", record.name);
        // Every function pads short input with zeros.
        let short = &data[..data.len().min(record.bytes)];
        assert_eq!(record.decode(short), values, "{}", record.name);
        assert_eq!(record.text(short), record.text(&whole), "{}", record.name);
        assert_eq!(record.complaints(short), record.complaints(&whole), "{}", record.name);
    }
}
