//! `throng paths cluster`: who went alike.

use std::path::PathBuf;

use serde::Serialize;
use throng_core::Result;
use throng_core::data::paths::Mark;
use throng_core::paths::cluster::{self, Clustering, Params, SummaryPoint};
use throng_core::progress::Progress;

use super::{pending_file, read, refuse_places};
use crate::inputs::Inputs;
use crate::io::csv_field;
use crate::io::paths::ReadPaths;
use crate::kinds::Ask;
use crate::pending;

/// What to compare.
#[derive(Debug, Clone)]
pub struct ClusterRequest {
    /// The paths, or a release of some.
    pub file: Inputs,
    /// How to read them.
    pub ask: Ask,
    /// How to compare them.
    pub params: Params,
    /// The file of labels to make, if one is wanted.
    pub out: Option<PathBuf>,
    /// The file of summaries to make, if one is wanted.
    pub summary: Option<PathBuf>,
}

/// What was found.
#[derive(Debug, Serialize)]
pub struct ClustersMade {
    /// How many persons there are.
    pub persons: usize,
    /// How many tracks were compared: persons, or trips.
    pub tracks: usize,
    /// How many of them are in no cluster.
    pub unclustered: usize,
    /// The distance.
    pub distance: &'static str,
    /// From when to when positions were compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[String; 2]>,
    /// The clusters.
    pub clusters: Vec<ClusterShown>,
    /// The cluster of each track, where no file was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<Vec<Label>>,
    /// The labels as a CSV file.
    #[serde(skip)]
    pub text: String,
    /// Malformed lines that were left out.
    pub rows_refused: u64,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// A cluster.
#[derive(Debug, Serialize)]
pub struct ClusterShown {
    /// Its number, from 1.
    pub cluster: u32,
    /// How many persons have a track in it.
    pub persons: usize,
    /// How many tracks it has.
    pub tracks: usize,
    /// The mean path; nothing of fewer than k persons.
    pub summary: Option<Vec<PointShown>>,
}

/// A point of a mean path.
#[derive(Debug, Serialize)]
pub struct PointShown {
    /// When.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// The latitude.
    pub lat: f64,
    /// The longitude.
    pub lon: f64,
}

/// The cluster of a track.
#[derive(Debug, Serialize)]
pub struct Label {
    /// Whose it is.
    pub user: String,
    /// Which of their trips.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trip: Option<String>,
    /// The number of the cluster; nothing, if it is in none.
    pub cluster: Option<u32>,
}

/// Finds clusters, and writes labels and summaries.
pub fn cluster_paths(request: &ClusterRequest, progress: &dyn Progress) -> Result<ClustersMade> {
    let places: Vec<&PathBuf> = request.out.iter().chain(&request.summary).collect();
    refuse_places(&places, &request.file)?;
    let (found, notes) = read(&request.file, &request.ask, progress)?;
    let clustering = cluster::cluster(&found.paths, &request.params, progress)?;
    progress.go_on()?;
    let labels = labels_of(&found, &clustering, request.params.by_trip);
    let text = text_of(&labels, request.params.by_trip);
    let clusters = shown(&found, &clustering);
    let mut finished = Vec::new();
    if let Some(out) = &request.out {
        finished.push(pending_file(out, |write| write(text.as_bytes()))?);
    }
    if let Some(summary) = &request.summary {
        finished.push(pending_file(summary, |write| write(&summaries_of(&clusters)))?);
    }
    pending::publish(finished)?;
    Ok(ClustersMade {
        persons: found.paths.persons(),
        tracks: clustering.tracks.len(),
        unclustered: clustering.labels.iter().filter(|label| label.is_none()).count(),
        distance: request.params.distance.name(),
        interval: clustering.interval.map(|(from, to)| [from, to].map(|time| found.layout.shown_time(time))),
        clusters,
        labels: request.out.is_none().then_some(labels),
        text,
        rows_refused: found.refused,
        notes,
    })
}

fn labels_of(found: &ReadPaths, clustering: &Clustering, by_trip: bool) -> Vec<Label> {
    let paths = &found.paths;
    let label = |(track, cluster): (usize, &Option<u32>)| Label {
        user: paths.names().get(clustering.tracks.person(track)).to_owned(),
        trip: by_trip.then(|| trip_of(found, clustering.tracks.range(track).start)),
        cluster: cluster.map(|cluster| cluster + 1),
    };
    clustering.labels.iter().enumerate().map(label).collect()
}

/// The name of a point's trip.
pub(super) fn trip_of(found: &ReadPaths, point: usize) -> String {
    found.paths.text(Mark::Trip, point).unwrap_or_default().to_owned()
}

fn text_of(labels: &[Label], by_trip: bool) -> String {
    let mut text = if by_trip { b"user,trip,cluster\n".to_vec() } else { b"user,cluster\n".to_vec() };
    for label in labels {
        csv_field(label.user.as_bytes(), &mut text);
        if let Some(trip) = &label.trip {
            text.push(b',');
            csv_field(trip.as_bytes(), &mut text);
        }
        let cluster = label.cluster.map_or_else(String::new, |cluster| cluster.to_string());
        text.extend_from_slice(format!(",{cluster}\n").as_bytes());
    }
    String::from_utf8_lossy(&text).into_owned()
}

fn shown(found: &ReadPaths, clustering: &Clustering) -> Vec<ClusterShown> {
    let point = |point: &SummaryPoint| PointShown {
        time: point.time.map(|time| found.layout.shown_time(time)),
        lat: point.lat,
        lon: point.lon,
    };
    let cluster = |(number, cluster): (u32, &cluster::Cluster)| ClusterShown {
        cluster: number,
        persons: cluster.persons,
        tracks: cluster.tracks,
        summary: cluster.summary.as_ref().map(|summary| summary.iter().map(point).collect()),
    };
    (1..).zip(&clustering.clusters).map(cluster).collect()
}

/// A line for each point of each mean path.
fn summaries_of(clusters: &[ClusterShown]) -> Vec<u8> {
    let mut text = "cluster,persons,point,time,lat,lon\n".to_owned();
    for cluster in clusters {
        for (number, point) in (1..).zip(cluster.summary.iter().flatten()) {
            let number: u32 = number;
            let time = point.time.as_deref().unwrap_or_default();
            let row =
                format!("{},{},{number},{time},{:.7},{:.7}\n", cluster.cluster, cluster.persons, point.lat, point.lon);
            text.push_str(&row);
        }
    }
    text.into_bytes()
}
