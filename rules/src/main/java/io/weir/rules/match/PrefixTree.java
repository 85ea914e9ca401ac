package io.weir.rules.match;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds all prefixes of a value among many.
 *
 * <p>Implemented by hashing: the hashes of a value's prefixes are computed incrementally, and those
 * with the length of a stored prefix are looked up. The cost is one step per character up to the
 * longest prefix, however many prefixes there are.
 */
final class PrefixTree {
  private final SubstringTable<Groups> groups = new SubstringTable<>();
  private final BitSet lengths = new BitSet();

  /** The groups for values with this prefix. */
  Groups at(String prefix) {
    Groups known = groups.get(0, prefix);
    if (known != null) {
      return known;
    }
    Groups added = new Groups();
    groups.put(0, prefix, added);
    lengths.set(prefix.length());
    return added;
  }

  /** See {@link Group#seek}. */
  int seek(String value, AttributeValues attributeValues, int limit, @Nullable FoundEntries all) {
    int wanted = limit;
    int hash = 0;
    int hashed = 0;
    for (int length = lengths.nextSetBit(0);
        length >= 0 && length <= value.length();
        length = lengths.nextSetBit(length + 1)) {
      while (hashed < length) {
        hash = SubstringTable.extend(hash, value.charAt(hashed++));
      }
      Groups found = groups.get(0, value, 0, length, hash);
      if (found != null) {
        wanted = found.seek(attributeValues, wanted, all);
      }
    }
    return wanted;
  }
}
