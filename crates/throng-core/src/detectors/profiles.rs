//! Profiles: who is not the person that their lines are said to be of.
//!
//! Paper      Castellano, Mastronardi, Pisciotta, Tarricone, on intrusion detection by composed miners (paper 003); reading I1.
//!
//! # Idea
//! The shares of topics in somebody's earlier lines are their profile; later lines that are too far from it are somebody else's, or of
//! somebody who has changed. [`crate::profiles`] has all of it.
//!
//! # Does not
//! look at data of which nothing earlier is known. It learns, so it has commands of its own (`throng profile`).

use crate::info::Info;

/// The card.
pub const INFO: Info = Info {
    name: "profiles",
    summary: "whose later lines are not about what their earlier ones were about",
    paper: "Castellano, Mastronardi, Pisciotta, Tarricone: intrusion detection by composed miners (paper 003), their Figures 6 to 9; the distance is \
            that of Lin. Divergence measures based on the Shannon entropy. IEEE Transactions on Information Theory 37 (1991)",
    details: "throng profile build LOG --out P.json counts for everybody how often words of each topic occur in their lines: shares of all \
        occurrences (reading I1). throng profile compare LATER --profiles P.json compares later lines of the same persons, of whoever has at \
        least 20. Topics are words of at least 5 persons (the default), the 25 unique beginners of WordNet's nouns, parts that are learned, or \
        a file of keywords.\n\
        --distance jsd, the divergence of Jensen and Shannon, base 2: an alarm is what is beyond --false-alarms of the distances of the person's \
        own earlier windows of as many lines, or of everybody's where there are too few. --distance band, as in the paper: a topic whose share \
        differs by more than --tolerance.\n\
        throng detect evaluate --detector profiles LOG cuts everybody's lines in two in the order of time and compares all second halves with all \
        first ones: auc, equal_error, and named, the share that is nearest to its own.\n\
        It is an attack seen from the other side: profile-match finds persons in a release by the same profiles. A profile is as secret as the log.",
    parameters: &[],
};
