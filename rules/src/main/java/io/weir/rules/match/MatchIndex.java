package io.weir.rules.match;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Finds what fits a request among many matches.
 *
 * <p>A look-up costs what the matches cost whose rarest condition holds, not what all cost.
 *
 * @param <T> what a match stands for
 */
public final class MatchIndex<T> {
  /*
   * A tree. Each entry is kept under the rarest of its conditions: the one that, among the entries at
   * hand, shares its values with the fewest. Entries that were led to the same condition form a group,
   * and if that is large it is parted once more by the conditions that are left:
   *
   *     1 {path: /a/**}                 root --- path --- /a/**        1
   *     2 {path: /a/b, method: GET}          |        '-- /a/b         2 if method is GET
   *     3 {tier: [free, pro]}                |
   *     4 {tier: gold, method: GET}          '-- tier --- free, pro    3
   *     5 {tier: gold, method: PUT}          |        '-- gold --- method --- GET    4
   *     …                                    |                            '-- PUT    5  (if it is large)
   *     9 {}                                 '-- 9, always
   *
   * A request of {path: /a/b, tier: pro} visits what it has: its path leads to 1 and 2, its tier to
   * 3. On the way down a condition is decided by getting there and never tested again; the few
   * entries of a small group are tested one by one.
   *
   * An attribute's values are looked up by what is asked of them: exact ones in a hash map, prefixes
   * by their lengths in another (PrefixTree), paths in a tree of segments (PathTree), networks in a
   * sorted array (NetworkTree). Each finds all that hold.
   *
   * A condition with a list of values leads to one group from each of them. So an entry is in one
   * group at each level, and the tree is no larger than the entries written out; a request may come
   * to such a group twice, and what it finds there twice is told once.
   */

  private final List<T> values;
  private final Group root;

  private MatchIndex(List<T> values, Group root) {
    this.values = values;
    this.root = root;
  }

  /**
   * An index over {@code entries}, whose order is kept.
   *
   * @param places the place of each attribute in the facts
   */
  public static <T> MatchIndex<T> of(List<Entry<T>> entries, ToIntFunction<String> places) {
    List<Candidate> candidates = new ArrayList<>(entries.size());
    List<T> values = new ArrayList<>(entries.size());
    for (Entry<T> entry : entries) {
      candidates.add(new Candidate(values.size(), entry.match().conditions()));
      values.add(entry.value());
    }
    return new MatchIndex<>(values, new Grouping(places).group(candidates));
  }

  /** Adds all that fit to {@code found}, in order. */
  public void all(Facts facts, List<? super T> found) {
    Orders orders = new Orders();
    root.seek(facts, Group.NONE, orders);
    int count = orders.settle();
    for (int i = 0; i < count; i++) {
      found.add(values.get(orders.get(i)));
    }
  }

  /** The first that fits, if any. */
  public @Nullable T first(Facts facts) {
    int order = root.seek(facts, Group.NONE, null);
    return order == Group.NONE ? null : values.get(order);
  }

  /** Whether any fits. */
  public boolean any(Facts facts) {
    return root.seek(facts, Group.NONE, null) != Group.NONE;
  }

  /** A match and what it stands for. */
  public record Entry<T>(Match match, T value) {}
}
