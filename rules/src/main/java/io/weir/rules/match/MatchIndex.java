package io.weir.rules.match;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Finds the matches for a request among many. Immutable and thread-safe.
 *
 * <p>The cost of a lookup depends on the matches with a rarest condition that holds, not on all
 * matches.
 *
 * @param <T> the value stored with a match
 */
public final class MatchIndex<T> {
  /*
   * A tree. Each entry is stored under its rarest condition: the one that shares its values with the
   * fewest other entries. Entries under the same condition form a group. A large group is split again
   * by the remaining conditions:
   *
   *     1 {path: /a/**}                 root --- path --- /a/**        1
   *     2 {path: /a/b, method: GET}          |        '-- /a/b         2 if method is GET
   *     3 {tier: [free, pro]}                |
   *     4 {tier: gold, method: GET}          '-- tier --- free, pro    3
   *     5 {tier: gold, method: PUT}          |        '-- gold --- method --- GET    4
   *     …                                    |                            '-- PUT    5  (if it is large)
   *     9 {}                                 '-- 9, always
   *
   * A request with {path: /a/b, tier: pro} follows its values: its path leads to 1 and 2, its tier
   * to 3. A condition on the way down holds once its group is reached, and is not tested again. The
   * few entries of a small group are tested one by one.
   *
   * The values of an attribute are looked up by kind of test: exact values in a hash map, prefixes by
   * their lengths in another (PrefixTree), paths in a tree of segments (PathTree), networks in a
   * sorted array (NetworkTree). Each lookup finds all tests that hold.
   *
   * A condition with a list of values leads to one group from each value. So an entry is in one group
   * at each level, and the tree is no larger than the entries written out. A request may reach such a
   * group twice; duplicate results are removed.
   */

  private final List<T> values;
  private final Group root;

  private MatchIndex(List<T> values, Group root) {
    this.values = values;
    this.root = root;
  }

  /**
   * An index over {@code entries}, which keep their order.
   *
   * @param places the index of each attribute among the attribute values
   */
  public static <T> MatchIndex<T> of(List<Entry<T>> entries, ToIntFunction<String> places) {
    List<Candidate> candidates = new ArrayList<>(entries.size());
    List<T> values = new ArrayList<>(entries.size());
    for (Entry<T> entry : entries) {
      candidates.add(new Candidate(values.size(), entry.match().conditions()));
      values.add(entry.value());
    }
    return new MatchIndex<>(values, new MatchIndexBuilder(places).group(candidates));
  }

  /** Adds the values of all matches to {@code found}, in order. */
  public void all(AttributeValues attributeValues, List<? super T> found) {
    FoundEntries foundEntries = new FoundEntries();
    root.seek(attributeValues, Group.NONE, foundEntries);
    int count = foundEntries.settle();
    for (int i = 0; i < count; i++) {
      found.add(values.get(foundEntries.get(i)));
    }
  }

  /** The first match, if any. */
  public @Nullable T first(AttributeValues attributeValues) {
    int order = root.seek(attributeValues, Group.NONE, null);
    return order == Group.NONE ? null : values.get(order);
  }

  /** Whether any entry matches. */
  public boolean any(AttributeValues attributeValues) {
    return root.seek(attributeValues, Group.NONE, null) != Group.NONE;
  }

  /** A match and its value. */
  public record Entry<T>(Match match, T value) {}
}
