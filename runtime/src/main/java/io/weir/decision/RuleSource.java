package io.weir.decision;

import io.weir.logs.LogEntry;
import io.weir.rules.Domain;
import io.weir.rules.Problem;
import io.weir.rules.RuleSet;
import io.weir.rules.SourceLocation;
import io.weir.rules.file.InvalidRulesException;
import io.weir.rules.file.RuleInputs;
import io.weir.rules.file.RuleWatcher;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The source of a server's rules: watched files, or a program.
 *
 * <p>The first rules must be valid. Later invalid rules are reported and leave the rules in force
 * unchanged.
 */
public final class RuleSource implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("io.weir.server");

  private RuleSet read;
  private RuleSet latest;
  private final Map<String, Domain> added = new LinkedHashMap<>();
  private @Nullable Consumer<RuleSet> consumer;
  private @Nullable ReloadCounters reloadCounters;
  private RuleChangeListener ruleChangeListener = RuleChangeListener.NONE;
  private volatile @Nullable RuleWatcher watcher;
  private volatile boolean closed;

  private RuleSource(RuleSet first) {
    this.read = first;
    this.latest = first;
  }

  /**
   * Rules made by a program. They stay in force until the program {@linkplain #replace replaces}
   * them.
   */
  public static RuleSource of(RuleSet rules) {
    return new RuleSource(rules);
  }

  /**
   * The rules of files and directories, read again after each change.
   *
   * @throws InvalidRulesException if the rules are invalid now
   */
  public static RuleSource of(List<Path> paths) {
    return of(RuleInputs.of(paths));
  }

  /**
   * The rules of all {@code sources} together, read again after each change of a file.
   *
   * @throws InvalidRulesException if the rules are invalid now
   */
  public static RuleSource of(RuleInputs sources) {
    Watched watched = new Watched();
    RuleWatcher watcher = RuleWatcher.start(sources, watched);
    RuleSource ruleSource = watched.ruleSource;
    if (ruleSource == null) {
      watcher.close();
      throw new InvalidRulesException(watched.problems);
    }
    ruleSource.watcher = watcher;
    return ruleSource;
  }

  /** The latest valid rules. */
  public synchronized RuleSet rules() {
    return latest;
  }

  /** {@link #feed(RuleSet, Consumer, ReloadCounters, RuleChangeListener)} without a listener. */
  public void feed(RuleSet known, Consumer<RuleSet> to, ReloadCounters counts) {
    feed(known, to, counts, RuleChangeListener.NONE);
  }

  /**
   * Passes changes to {@code to} from now on; at once if the rules changed since {@code known}.
   *
   * @param others is notified of the result of each change
   */
  public synchronized void feed(
      RuleSet known, Consumer<RuleSet> to, ReloadCounters counts, RuleChangeListener others) {
    ruleChangeListener = others;
    consumer = to;
    reloadCounters = counts;
    if (known != latest) {
      apply(to, latest);
      reportChange(known, latest);
    }
  }

  /** Replaces the rules. If the new rules cannot be applied, the old rules stay in force. */
  public synchronized void replace(RuleSet rules) {
    RuleSet before = latest;
    RuleSet all = withAdded(rules);
    if (consumer != null && !closed) {
      apply(consumer, all);
    }
    read = rules;
    latest = all;
    reportChange(before, all);
  }

  /**
   * Reads the files again, changed or not, and applies their rules before it returns. Invalid rules
   * are reported as usual. Has no effect if a program made the rules.
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
   * Switches to the rules of other files and directories. If those are invalid, the error is
   * reported and the previous files stay watched.
   *
   * @return whether the new rules are in force
   */
  public boolean follow(List<Path> paths) {
    Watched watched = new Watched(this);
    RuleWatcher next;
    try {
      next = RuleWatcher.start(RuleInputs.of(paths), watched);
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

  private void apply(Consumer<RuleSet> to, RuleSet rules) {
    try {
      to.accept(rules);
    } catch (InvalidRulesException e) {
      rejected(e.problems());
      throw e;
    } catch (RuntimeException e) {
      rejected(List.of(Problem.error(SourceLocation.NOWHERE, "cannot be applied: " + e)));
      throw e;
    }
  }

  /**
   * Adds a domain made by a program, now and after each change of the files. It replaces an earlier
   * added domain of the same name. This is not reported as a change of the rules.
   */
  public synchronized void add(Domain domain) {
    added.put(domain.name(), domain);
    RuleSet all = withAdded(read);
    if (consumer != null && !closed) {
      consumer.accept(all);
    }
    latest = all;
  }

  private RuleSet withAdded(RuleSet rules) {
    if (added.isEmpty()) {
      return rules;
    }
    List<Domain> all = new ArrayList<>(rules.domains());
    all.addAll(added.values());
    return RuleSet.of(all);
  }

  private void reportChange(RuleSet before, RuleSet rules) {
    if (consumer != null && reloadCounters != null && !closed) {
      reloadCounters.take();
      RuleChange change = RuleChange.between(before, rules);
      change.logEntry().log(LOG, System.Logger.Level.INFO);
      ruleChangeListener.reloaded(change);
    }
  }

  private synchronized void rejected(List<Problem> problems) {
    if (reloadCounters != null) {
      reloadCounters.reject();
    }
    LogEntry.of("rules rejected, the old ones stay: " + lines(problems))
        .with("problems", problems)
        .log(LOG, System.Logger.Level.ERROR);
    ruleChangeListener.rejected(problems);
  }

  private static String lines(List<Problem> problems) {
    StringBuilder text = new StringBuilder();
    problems.stream().limit(20).forEach(each -> text.append("\n  ").append(each));
    if (problems.size() > 20) {
      text.append("\n  … and ").append(problems.size() - 20).append(" more");
    }
    return text.toString();
  }

  /** Stops watching. Rules that are being read at this moment are not applied. */
  @Override
  public void close() {
    closed = true;
    RuleWatcher watching = watcher;
    if (watching != null) {
      watching.close();
    }
  }

  /** Receives the result of each change. */
  public interface RuleChangeListener {
    /** Ignores all results. */
    RuleChangeListener NONE =
        new RuleChangeListener() {
          @Override
          public void reloaded(RuleChange change) {}

          @Override
          public void rejected(List<Problem> problems) {}
        };

    /** New rules are in force. */
    void reloaded(RuleChange change);

    /** The new rules are invalid; the old rules stay in force. */
    void rejected(List<Problem> problems);
  }

  /** Creates a source from the first rules, and passes all later rules to it. */
  private static final class Watched implements RuleWatcher.Listener {
    private volatile @Nullable RuleSource ruleSource;
    private volatile List<Problem> problems = List.of();
    private volatile boolean wasRejected;

    Watched() {}

    Watched(RuleSource ruleSource) {
      this.ruleSource = ruleSource;
    }

    @Override
    public void changed(RuleSet rules) {
      RuleSource source = ruleSource;
      if (source == null) {
        ruleSource = new RuleSource(rules);
      } else {
        source.replace(rules);
      }
    }

    @Override
    public void rejected(List<Problem> invalid) {
      wasRejected = true;
      RuleSource source = ruleSource;
      if (source == null) {
        problems = invalid;
      } else {
        source.rejected(invalid);
      }
    }
  }
}
