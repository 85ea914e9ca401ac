package io.weir.server;

import io.weir.rules.RuleSet;
import io.weir.rules.file.InvalidRulesException;
import io.weir.rules.file.Problem;
import io.weir.rules.file.Reading;
import io.weir.rules.file.RuleFiles;
import io.weir.rules.file.RuleWatcher;
import io.weir.server.logs.Entry;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
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
  private static final String DEMO = "demo.yaml";

  private RuleSet latest;
  private @Nullable Consumer<RuleSet> consumer;
  private @Nullable Vitals vitals;
  private Audience audience = Audience.NOBODY;
  private @Nullable RuleWatcher watcher;
  private volatile boolean closed;

  private RuleFeed(RuleSet first) {
    this.latest = first;
  }

  /** Rules that a program made, and that stay as they are. */
  public static RuleFeed of(RuleSet rules) {
    return new RuleFeed(rules);
  }

  /**
   * The rules of files and directories, read again whenever they change.
   *
   * @throws InvalidRulesException if they are wrong now
   */
  public static RuleFeed of(List<Path> paths) {
    Watched watched = new Watched();
    RuleWatcher watcher = RuleWatcher.start(paths, watched);
    RuleFeed feed = watched.feed;
    if (feed == null) {
      watcher.close();
      throw new InvalidRulesException(watched.problems);
    }
    feed.watcher = watcher;
    return feed;
  }

  /** The rules of the demonstration. */
  public static RuleFeed demo() {
    try (InputStream in = RuleFeed.class.getResourceAsStream(DEMO)) {
      if (in == null) {
        throw new IllegalStateException(DEMO + " is missing in the jar");
      }
      Reading reading = RuleFiles.read("(demo)", in.readAllBytes());
      return of(reading.rules().orElseThrow(() -> new InvalidRulesException(reading.problems())));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What the settings ask for. */
  static RuleFeed of(Settings settings) {
    return settings.rules().isEmpty() ? demo() : of(settings.rules());
  }

  /** The rules that were right last. */
  public synchronized RuleSet rules() {
    return latest;
  }

  /** {@link #feed(RuleSet, Consumer, Vitals, Audience)} where nobody else wants to know. */
  void feed(RuleSet known, Consumer<RuleSet> to, Vitals counts) {
    feed(known, to, counts, Audience.NOBODY);
  }

  /**
   * From now on tells of changes, and at once if there was one since {@code known}.
   *
   * @param others are told what became of them
   */
  synchronized void feed(RuleSet known, Consumer<RuleSet> to, Vitals counts, Audience others) {
    audience = others;
    consumer = to;
    vitals = counts;
    if (known != latest) {
      tell(known, latest);
    }
  }

  /** Rules that cannot be taken up are not the latest: those before are still in force. */
  private synchronized void changed(RuleSet rules) {
    tell(latest, rules);
    latest = rules;
  }

  private void tell(RuleSet before, RuleSet rules) {
    Consumer<RuleSet> to = consumer;
    if (to != null && vitals != null && !closed) {
      to.accept(rules);
      vitals.reloaded();
      RuleChange change = RuleChange.between(before, rules);
      change.entry().log(LOG, System.Logger.Level.INFO);
      audience.reloaded(change);
    }
  }

  private synchronized void rejected(List<Problem> problems) {
    if (vitals != null) {
      vitals.rejected();
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

    @Override
    public void changed(RuleSet rules) {
      RuleFeed told = feed;
      if (told == null) {
        feed = new RuleFeed(rules);
      } else {
        told.changed(rules);
      }
    }

    @Override
    public void rejected(List<Problem> wrong) {
      RuleFeed told = feed;
      if (told == null) {
        problems = wrong;
      } else {
        told.rejected(wrong);
      }
    }
  }
}
