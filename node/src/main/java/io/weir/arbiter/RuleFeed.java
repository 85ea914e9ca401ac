package io.weir.arbiter;

import io.weir.logs.Entry;
import io.weir.rules.Domain;
import io.weir.rules.Place;
import io.weir.rules.RuleSet;
import io.weir.rules.file.InvalidRulesException;
import io.weir.rules.file.Problem;
import io.weir.rules.file.RuleSources;
import io.weir.rules.file.RuleWatcher;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where the rules of a server come from: files that are watched, or a program.
 *
 * <p>The first rules must be right. Later ones that are wrong are reported, and leave those in
 * force where they are.
 */
public final class RuleFeed implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("io.weir.server");

  private RuleSet read;
  private RuleSet latest;
  private final Map<String, Domain> own = new LinkedHashMap<>();
  private @Nullable Consumer<RuleSet> consumer;
  private @Nullable Reloads reloads;
  private Audience audience = Audience.NOBODY;
  private volatile @Nullable RuleWatcher watcher;
  private volatile boolean closed;

  private RuleFeed(RuleSet first) {
    this.read = first;
    this.latest = first;
  }

  /**
   * Rules that a program made, and that stay as they are until it {@linkplain #replace replaces}
   * them.
   */
  public static RuleFeed of(RuleSet rules) {
    return new RuleFeed(rules);
  }

  /**
   * The rules of files and directories, read again whenever they change.
   *
   * @throws InvalidRulesException if they are wrong now
   */
  public static RuleFeed of(List<Path> paths) {
    return of(RuleSources.of(paths));
  }

  /**
   * The rules of all {@code sources} together, read again whenever a file changes.
   *
   * @throws InvalidRulesException if they are wrong now
   */
  public static RuleFeed of(RuleSources sources) {
    Watched watched = new Watched();
    RuleWatcher watcher = RuleWatcher.start(sources, watched);
    RuleFeed feed = watched.feed;
    if (feed == null) {
      watcher.close();
      throw new InvalidRulesException(watched.problems);
    }
    feed.watcher = watcher;
    return feed;
  }

  /** The rules that were right last. */
  public synchronized RuleSet rules() {
    return latest;
  }

  /** {@link #feed(RuleSet, Consumer, Reloads, Audience)} where nobody else wants to know. */
  public void feed(RuleSet known, Consumer<RuleSet> to, Reloads counts) {
    feed(known, to, counts, Audience.NOBODY);
  }

  /**
   * From now on tells of changes, and at once if there was one since {@code known}.
   *
   * @param others are told what became of them
   */
  public synchronized void feed(
      RuleSet known, Consumer<RuleSet> to, Reloads counts, Audience others) {
    audience = others;
    consumer = to;
    reloads = counts;
    if (known != latest) {
      takeUp(to, latest);
      tell(known, latest);
    }
  }

  /**
   * Replaces the rules by others. Those that cannot be taken up are not the latest: those before
   * are still in force.
   */
  public synchronized void replace(RuleSet rules) {
    RuleSet before = latest;
    RuleSet all = withOwn(rules);
    if (consumer != null && !closed) {
      takeUp(consumer, all);
    }
    read = rules;
    latest = all;
    tell(before, all);
  }

  /**
   * Reads the files again now, changed or not, and hands on what they hold before this returns.
   * Wrong ones are reported as always. Nothing happens where a program made the rules.
   */
  public void reload() {
    RuleWatcher watching = watcher;
    if (watching != null && !closed) {
      try {
        watching.reload();
      } catch (InvalidRulesException e) {
        // reported already
      }
    }
  }

  /**
   * From now on the rules are those of other files and directories. Where these are wrong, that is
   * reported, and the files before are watched on.
   *
   * @return whether the rules are theirs now
   */
  public boolean follow(List<Path> paths) {
    Watched watched = new Watched(this);
    RuleWatcher next;
    try {
      next = RuleWatcher.start(RuleSources.of(paths), watched);
    } catch (InvalidRulesException e) {
      return false; // reported already
    }
    if (watched.wasRejected || closed) {
      next.close();
      return false;
    }
    RuleWatcher before = watcher;
    watcher = next;
    if (before != null) {
      before.close();
    }
    return true;
  }

  private void takeUp(Consumer<RuleSet> to, RuleSet rules) {
    try {
      to.accept(rules);
    } catch (InvalidRulesException e) {
      rejected(e.problems());
      throw e;
    } catch (RuntimeException e) {
      rejected(List.of(Problem.error(Place.NOWHERE, "cannot be taken up: " + e)));
      throw e;
    }
  }

  /**
   * Adds a domain that a program makes besides, now and whenever the rest changes; it replaces the
   * one that was added by its name. That is no change of the rules that anybody is told of.
   */
  public synchronized void add(Domain domain) {
    own.put(domain.name(), domain);
    RuleSet all = withOwn(read);
    if (consumer != null && !closed) {
      consumer.accept(all);
    }
    latest = all;
  }

  private RuleSet withOwn(RuleSet rules) {
    if (own.isEmpty()) {
      return rules;
    }
    List<Domain> all = new ArrayList<>(rules.domains());
    all.addAll(own.values());
    return RuleSet.of(all);
  }

  private void tell(RuleSet before, RuleSet rules) {
    if (consumer != null && reloads != null && !closed) {
      reloads.take();
      RuleChange change = RuleChange.between(before, rules);
      change.entry().log(LOG, System.Logger.Level.INFO);
      audience.reloaded(change);
    }
  }

  private synchronized void rejected(List<Problem> problems) {
    if (reloads != null) {
      reloads.reject();
    }
    Entry.of("rules rejected, the old ones stay: " + lines(problems))
        .with("problems", problems)
        .log(LOG, System.Logger.Level.ERROR);
    audience.rejected(problems);
  }

  private static String lines(List<Problem> problems) {
    StringBuilder text = new StringBuilder();
    problems.stream().limit(20).forEach(each -> text.append("\n  ").append(each));
    if (problems.size() > 20) {
      text.append("\n  … and ").append(problems.size() - 20).append(" more");
    }
    return text.toString();
  }

  /** Watches no more; rules that are just being read are not handed on. */
  @Override
  public void close() {
    closed = true;
    RuleWatcher watching = watcher;
    if (watching != null) {
      watching.close();
    }
  }

  /** Who wants to know what became of changes. */
  public interface Audience {
    /** Nobody. */
    Audience NOBODY =
        new Audience() {
          @Override
          public void reloaded(RuleChange change) {}

          @Override
          public void rejected(List<Problem> problems) {}
        };

    /** Rules were taken up. */
    void reloaded(RuleChange change);

    /** Rules were wrong, and those before stay in force. */
    void rejected(List<Problem> problems);
  }

  /** Makes a feed of the first rules, and tells it of all others. */
  private static final class Watched implements RuleWatcher.Listener {
    private volatile @Nullable RuleFeed feed;
    private volatile List<Problem> problems = List.of();
    private volatile boolean wasRejected;

    Watched() {}

    Watched(RuleFeed feed) {
      this.feed = feed;
    }

    @Override
    public void changed(RuleSet rules) {
      RuleFeed told = feed;
      if (told == null) {
        feed = new RuleFeed(rules);
      } else {
        told.replace(rules);
      }
    }

    @Override
    public void rejected(List<Problem> wrong) {
      wasRejected = true;
      RuleFeed told = feed;
      if (told == null) {
        problems = wrong;
      } else {
        told.rejected(wrong);
      }
    }
  }
}
